"""The nine queries of LSQB, with absence and optional parts."""

from functools import cache

import pytest

import skipstone as sk

from .reading import answers, columns

pytestmark = pytest.mark.filterwarnings("ignore:.*without a key.*")  # a comment replies to a post or to a comment

a, b, c, city, country, forum, m, p, post, q, t, t1, t2, tag_class = sk.axes(
    "a b c city country forum m p post q t t1 t2 tag_class"
)


class Network:
    """The relations of the social network, by name: file, and the columns that are its keys."""

    def __init__(self, directory):
        def read(file, *keys):
            return sk.table(columns(directory / f"{file}.parquet"), keys=keys, name=file)

        self.knows = read("Person_knows_Person", "Person1Id", "Person2Id")
        self.city = read("Person", "PersonId", "isLocatedIn_CityId")
        self.country = read("City", "CityId", "isPartOf_CountryId")
        self.member = read("Forum_hasMember_Person", "ForumId", "PersonId")
        self.container = read("Post", "PostId", "Forum_containerOfId")
        self.post_creator = read("Post", "PostId", "hasCreator_PersonId")
        self.comment_creator = read("Comment", "CommentId", "hasCreator_PersonId")
        self.reply_to_post = read("Comment", "CommentId", "replyOf_PostId")
        self.reply_to_comment = read("Comment", "CommentId", "replyOf_CommentId")
        self.comment_tag = read("Comment_hasTag_Tag", "CommentId", "TagId")
        self.post_tag = read("Post_hasTag_Tag", "PostId", "TagId")
        self.tag_class = read("Tag", "TagId", "hasType_TagClassId")
        self.interest = read("Person_hasInterest_Tag", "PersonId", "TagId")
        self.likes_post = read("Person_likes_Post", "PersonId", "PostId")
        self.likes_comment = read("Person_likes_Comment", "PersonId", "CommentId")

    # A message is a post or a comment.

    def tag(self, message, tag):
        return self.post_tag[message, tag] + self.comment_tag[message, tag]

    def creator(self, message, person):
        return self.post_creator[message, person] + self.comment_creator[message, person]

    def likes(self, person, message):
        return self.likes_post[person, message] + self.likes_comment[person, message]

    def reply(self, comment, message):
        return self.reply_to_post[comment, message] + self.reply_to_comment[comment, message]


def q7(n):
    likes, replies = n.likes(p, m).sum(p).collect(), n.reply(c, m).sum(c).collect()
    return n.tag(m, t) * n.creator(m, q) * likes[m].default(1) * replies[m].default(1)


QUERIES = {
    "q1": lambda n: (
        n.country[city, country] * n.city[p, city] * n.member[forum, p] * n.container[post, forum]
        * n.reply_to_post[c, post] * n.comment_tag[c, t] * n.tag_class[t, tag_class]
    ),
    "q2": lambda n: n.knows[a, b] * n.comment_creator[c, a] * n.reply_to_post[c, post] * n.post_creator[post, b],
    "q3": lambda n: (
        n.knows[a, b] * n.knows[b, c] * n.knows[c, a]
        * home(n, a, "city_a") * home(n, b, "city_b") * home(n, c, "city_c")
    ),
    "q4": lambda n: n.tag(m, t) * n.creator(m, q) * n.likes(p, m) * n.reply(c, m),
    "q5": lambda n: n.tag(m, t1) * n.reply(c, m) * n.comment_tag[c, t2] * (t1 != t2),
    "q6": lambda n: n.knows[a, b] * n.knows[b, c] * (a != c) * n.interest[c, t],
    "q7": q7,
    "q8": lambda n: n.tag(m, t1) * n.reply(c, m) * n.comment_tag[c, t2] * (t1 != t2) * ~n.comment_tag[c, t1],
    "q9": lambda n: n.knows[a, b] * n.knows[b, c] * (a != c) * n.interest[c, t] * ~n.knows[a, c],
}  # fmt: skip


def home(n, person, through):
    """The country of a person."""
    its_city = sk.axes(through)
    return n.city[person, its_city] * n.country[its_city, country]


network = cache(Network)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("scale", ["sfexample", "sf0.003"])
def test_number_of_matches(shared_data, scale, query):
    directory = shared_data / f"lsqb_{scale}"
    assert QUERIES[query](network(directory)).sum().collect() == answers(directory)["answers"][query]["duckdb"]
