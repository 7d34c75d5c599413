"""The nine queries of LSQB, the Labelled Subgraph Query Benchmark, on its social network. All of them count matches.

A message is a post or a comment; what both have is one relation for everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import skipstone as sk

from .. import cypher, data, sql
from ..ours import threaded
from ..question import Make, Question
from ..way import Way

a, b, c, country, forum, m, p, post, q, t, t1, t2, kind = sk.axes("a b c country forum m p post q t t1 t2 kind")
city, city_a, city_b, city_c = sk.axes("city city_a city_b city_c")


def ours(put: Callable[[Any], Any]) -> Make:
    def make(given: dict[str, Any], threads: int) -> Way:
        relations = SimpleNamespace(**{name: sk.table(table, name=name) for name, table in given.items()})
        query = put(relations).sum()
        return Way(threaded(query.collect, threads))

    return make


ASKED: dict[str, Callable[[Any], Any]] = {
    "q1": lambda n: (
        n.country[city, country] * n.city[p, city] * n.member[forum, p] * n.container[post, forum]
        * n.reply_to_post[c, post] * n.comment_tag[c, t] * n.tag_class[t, kind]
    ),
    "q2": lambda n: n.knows[a, b] * n.comment_creator[c, a] * n.reply_to_post[c, post] * n.post_creator[post, b],
    "q3": lambda n: (
        n.knows[a, b] * n.knows[b, c] * n.knows[c, a] * n.city[a, city_a] * n.country[city_a, country]
        * n.city[b, city_b] * n.country[city_b, country] * n.city[c, city_c] * n.country[city_c, country]
    ),
    "q4": lambda n: n.tag[m, t] * n.creator[m, q] * n.likes[p, m] * n.reply[c, m],
    "q5": lambda n: n.tag[m, t1] * n.reply[c, m] * n.comment_tag[c, t2] * (t1 != t2),
    "q6": lambda n: n.knows[a, b] * n.knows[b, c] * (a != c) * n.interest[c, t],
    "q7": lambda n: (
        n.tag[m, t] * n.creator[m, q] * n.likes[p, m].sum(p).default(1) * n.reply[c, m].sum(c).default(1)
    ),
    "q8": lambda n: n.tag[m, t1] * n.reply[c, m] * n.comment_tag[c, t2] * (t1 != t2) * ~n.comment_tag[c, t1],
    "q9": lambda n: n.knows[a, b] * n.knows[b, c] * (a != c) * n.interest[c, t] * ~n.knows[a, c],
}  # fmt: skip

PUBLISHED = {  # as the benchmark has them
    "q1": """select count(*) from country join city using (city) join member using (person) join container using (forum)
        join reply_to_post using (post) join comment_tag using (comment) join tag_class using (tag)""",
    "q2": """select count(*) from knows join comment_creator c on person1 = c.person
        join reply_to_post using (comment) join post_creator p on reply_to_post.post = p.post and person2 = p.person""",
    "q3": """select count(*) from country ka join country kb using (country) join country kc using (country)
        join city a on a.city = ka.city join city b on b.city = kb.city join city c on c.city = kc.city
        join knows ab on ab.person1 = a.person and ab.person2 = b.person
        join knows bc on bc.person1 = b.person and bc.person2 = c.person
        join knows ca on ca.person1 = c.person and ca.person2 = a.person""",
    "q4": """select count(*) from tag join creator using (message) join likes using (message)
        join reply using (message)""",
    "q5": """select count(*) from tag join reply using (message) join comment_tag t on reply.comment = t.comment
        where tag.tag != t.tag""",
    "q6": """select count(*) from knows k join knows l on k.person2 = l.person1 and k.person1 != l.person2
        join interest on l.person2 = person""",
    "q7": """select count(*) from tag join creator using (message) left join likes using (message)
        left join reply using (message)""",
    "q8": """select count(*) from tag join reply using (message) join comment_tag t on reply.comment = t.comment
        left join comment_tag u on u.comment = reply.comment and u.tag = tag.tag
        where tag.tag != t.tag and u.tag is null""",
    "q9": """select count(*) from knows k join knows l on k.person2 = l.person1 and k.person1 != l.person2
        join interest on l.person2 = person left join knows m on m.person1 = k.person1 and m.person2 = l.person2
        where m.person1 is null""",
}
COUNTED = {  # the same with counts taken first, where that leads to the answer: what an expert would try
    "q1": """with tags as (select comment, count(*) n from comment_tag join tag_class using (tag) group by comment),
        posts as (select post, sum(n) n from reply_to_post join tags using (comment) group by post),
        forums as (select forum, sum(n) n from container join posts using (post) group by forum)
        select sum(n)::bigint from forums join member using (forum) join city using (person)
        join country using (city)""",
    "q4": """with t as (select message, count(*) n from tag group by message),
        l as (select message, count(*) n from likes group by message),
        r as (select message, count(*) n from reply group by message)
        select sum(t.n * l.n * r.n)::bigint from t join creator using (message) join l using (message)
        join r using (message)""",
    "q5": """with u as (select comment, count(*) n from comment_tag group by comment),
        v as (select message, count(*) n from tag group by message)
        select (select sum(u.n * v.n) from reply join u using (comment) join v using (message))::bigint
        - (select count(*) from reply join comment_tag t on reply.comment = t.comment
           join tag on tag.message = reply.message and tag.tag = t.tag)""",
    "q6": """with i as (select person, count(*) n from interest group by person),
        k as (select person2 person, count(*) n from knows group by person2)
        select (select sum(k.n * i.n) from k join knows on k.person = person1 join i on person2 = i.person)::bigint
        - (select sum(i.n) from knows k join knows l on k.person2 = l.person1 and k.person1 = l.person2
           join i on i.person = l.person2)::bigint""",
    "q7": """with t as (select message, count(*) n from tag group by message),
        l as (select message, count(*) n from likes group by message),
        r as (select message, count(*) n from reply group by message)
        select sum(t.n * coalesce(l.n, 1) * coalesce(r.n, 1))::bigint from t join creator using (message)
        left join l using (message) left join r using (message)""",
    "q9": """with i as (select person, count(*) n from interest group by person)
        select sum(n)::bigint from knows k join knows l on k.person2 = l.person1 and k.person1 != l.person2
        join i on l.person2 = i.person left join knows m on m.person1 = k.person1 and m.person2 = l.person2
        where m.person1 is null""",
}


KINDS = {  # from which nodes to which, by names that no relation has
    "knows": ("Person", "Person"), "city": ("Person", "Town"), "country": ("Town", "Nation"),
    "member": ("Forum", "Person"), "container": ("Message", "Forum"), "post_creator": ("Message", "Person"),
    "comment_creator": ("Message", "Person"), "creator": ("Message", "Person"),
    "reply_to_post": ("Message", "Message"), "reply": ("Message", "Message"), "comment_tag": ("Message", "Topic"),
    "tag": ("Message", "Topic"), "tag_class": ("Topic", "TopicClass"), "interest": ("Person", "Topic"),
    "likes": ("Person", "Message"),
}  # fmt: skip
CYPHER = {
    "q1": """match (:Nation)<-[:country]-(:Town)<-[:city]-(:Person)<-[:member]-(:Forum)<-[:container]-(:Message)
        <-[:reply_to_post]-(:Message)-[:comment_tag]->(:Topic)-[:tag_class]->(:TopicClass) return count(*)""",
    "q2": """match (a:Person)-[:knows]->(b:Person), (a)<-[:comment_creator]-(c:Message)-[:reply_to_post]->(p:Message)
        -[:post_creator]->(b) return count(*)""",
    "q3": """match (k:Nation), (a:Person)-[:city]->(:Town)-[:country]->(k), (b:Person)-[:city]->(:Town)-[:country]->(k),
        (c:Person)-[:city]->(:Town)-[:country]->(k), (a)-[:knows]->(b)-[:knows]->(c)-[:knows]->(a) return count(*)""",
    "q4": """match (t:Topic)<-[:tag]-(m:Message)-[:creator]->(q:Person), (m)<-[:likes]-(p:Person),
        (m)<-[:reply]-(c:Message) return count(*)""",
    "q5": """match (t:Topic)<-[:tag]-(m:Message)<-[:reply]-(c:Message)-[:comment_tag]->(u:Topic)
        where t.id <> u.id return count(*)""",
    "q6": """match (a:Person)-[:knows]->(b:Person)-[:knows]->(c:Person)-[:interest]->(t:Topic)
        where a.id <> c.id return count(*)""",
    "q7": """match (t:Topic)<-[:tag]-(m:Message)-[:creator]->(q:Person) optional match (m)<-[:likes]-(p:Person)
        optional match (m)<-[:reply]-(c:Message) return count(*)""",
    "q8": """match (t:Topic)<-[:tag]-(m:Message)<-[:reply]-(c:Message)-[:comment_tag]->(u:Topic)
        where t.id <> u.id and not exists { match (c)-[:comment_tag]->(t) } return count(*)""",
    "q9": """match (a:Person)-[:knows]->(b:Person)-[:knows]->(c:Person)-[:interest]->(t:Topic)
        where a.id <> c.id and not exists { match (a)-[:knows]->(c) } return count(*)""",
}


def duckdb(name: str) -> dict[str, Make]:
    forms = {"as published": sql.number_of(PUBLISHED[name])}
    if name in COUNTED:
        forms["counts first"] = sql.number_of(COUNTED[name])
    return forms


QUESTIONS = [
    Question(
        f"LSQB {name}",
        "lsqb",
        {"scale 0.003": partial(data.lsqb, "sf0.003")},
        partial(data.lsqb, "sfexample"),
        {
            "skipstone": {"": ours(put)},
            "duckdb": duckdb(name),
            **{peer: {"": cypher.of_relations(peer, KINDS, CYPHER[name])} for peer in ("kuzu", "ladybug")},
        },
    )
    for name, put in ASKED.items()
]
