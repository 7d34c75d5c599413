(* The one induction. If a stream keeps the laws that skipstone.prove shows of the Python source (obligations.py), then the
   fold over it ends, and visits exactly the pairs that the stream means, each key once, in increasing order.

   No axioms: `Print Assumptions` at the end says so, and the build fails if it says anything else. *)
From Coq Require Import List Lia Sorted.
Import ListNotations.

Section Stream.

(* Keys: any type with a strict total order. Values: any type. States, and what is folded: any types. *)
Variables Key Value State Acc : Type.
Variable before : Key -> Key -> Prop.
Hypothesis irreflexive : forall k, ~ before k k.
Hypothesis transitive : forall a b c, before a b -> before b c -> before a c.
Hypothesis total : forall a b, before a b \/ a = b \/ before b a.

(* The protocol: Stream.valid, ready, index, value, next, approach. *)
Variables valid ready : State -> bool.
Variable index : State -> Key.
Variable value : State -> Value.
Variables next approach : State -> State.

(* What is claimed: Claim.means, measure, invariant. *)
Variable means : State -> Key -> option Value.
Variable measure : State -> nat.
Variable invariant : State -> Prop.

(* The laws, as obligations.py shows them; each is named as there. *)
Hypothesis keeps_invariant_next : forall q, invariant q -> valid q = true -> ready q = true -> invariant (next q).
Hypothesis keeps_invariant_approach : forall q,
  invariant q -> valid q = true -> ready q = false -> invariant (approach q).
Hypothesis law_end : forall q k, invariant q -> valid q = false -> means q k = None.
Hypothesis law_support : forall q k, invariant q -> valid q = true -> before k (index q) -> means q k = None.
Hypothesis law_head : forall q, invariant q -> valid q = true -> ready q = true -> means q (index q) = Some (value q).
Hypothesis next_keeps : forall q k,
  invariant q -> valid q = true -> ready q = true -> before (index q) k -> means (next q) k = means q k.
Hypothesis next_raises : forall q,
  invariant q -> valid q = true -> ready q = true -> valid (next q) = true -> before (index q) (index (next q)).
Hypothesis next_progress : forall q,
  invariant q -> valid q = true -> ready q = true -> measure (next q) < measure q.
Hypothesis approach_keeps : forall q k,
  invariant q -> valid q = true -> ready q = false -> ~ before k (index q) -> means (approach q) k = means q k.
Hypothesis approach_does_not_lower : forall q,
  invariant q -> valid q = true -> ready q = false -> valid (approach q) = true ->
  ~ before (index (approach q)) (index q).
Hypothesis approach_progress : forall q,
  invariant q -> valid q = true -> ready q = false -> measure (approach q) < measure q.

(* `fold` of stream.py, for so many steps; and whether it has come to its end by then. *)
Fixpoint fold (f : Acc -> Key -> Value -> Acc) (steps : nat) (q : State) (acc : Acc) : Acc :=
  match steps with
  | O => acc
  | S n =>
      if valid q then
        if ready q then fold f n (next q) (f acc (index q) (value q)) else fold f n (approach q) acc
      else acc
  end.

Fixpoint after (steps : nat) (q : State) : State :=
  match steps with
  | O => q
  | S n => if valid q then after n (if ready q then next q else approach q) else q
  end.

(* The pairs that it visits on the way. *)
Fixpoint visited (steps : nat) (q : State) : list (Key * Value) :=
  match steps with
  | O => []
  | S n =>
      if valid q then
        if ready q then (index q, value q) :: visited n (next q) else visited n (approach q)
      else []
  end.

Theorem fold_ends : forall steps q, invariant q -> measure q < steps -> valid (after steps q) = false.
Proof.
  induction steps as [|n IH]; intros q I M; [lia|]. simpl.
  destruct (valid q) eqn:V; [|exact V].
  destruct (ready q) eqn:R; apply IH; auto.
  - pose proof (next_progress q I V R); lia.
  - pose proof (approach_progress q I V R); lia.
Qed.

Theorem fold_is_over_what_is_visited : forall f steps q acc,
  fold f steps q acc = fold_left (fun acc kv => f acc (fst kv) (snd kv)) (visited steps q) acc.
Proof.
  induction steps as [|n IH]; intros q acc; simpl; auto.
  destruct (valid q); auto. destruct (ready q); simpl; apply IH.
Qed.

(* Behind a pair that was visited, only larger keys are to come. *)
Lemma later_is_larger : forall q k v,
  invariant q -> valid q = true -> ready q = true -> means (next q) k = Some v -> before (index q) k.
Proof.
  intros q k v I V R D. pose proof (keeps_invariant_next q I V R) as I'.
  destruct (valid (next q)) eqn:V'.
  - pose proof (next_raises q I V R V') as L.
    destruct (total k (index (next q))) as [B|[->|B]]; auto.
    + rewrite (law_support (next q) k I' V' B) in D. discriminate.
    + eapply transitive; eauto.
  - rewrite (law_end (next q) k I' V') in D. discriminate.
Qed.

Lemma approached_is_not_below : forall q k v,
  invariant q -> valid q = true -> ready q = false -> means (approach q) k = Some v -> ~ before k (index q).
Proof.
  intros q k v I V R D B. pose proof (keeps_invariant_approach q I V R) as I'.
  destruct (valid (approach q)) eqn:V'.
  - pose proof (approach_does_not_lower q I V R V') as L.
    destruct (total k (index (approach q))) as [B'|[E|B']].
    + rewrite (law_support (approach q) k I' V' B') in D. discriminate.
    + subst k. contradiction.
    + apply L. eapply transitive; eauto.
  - rewrite (law_end (approach q) k I' V') in D. discriminate.
Qed.

Definition in_order (pairs : list (Key * Value)) : Prop :=
  StronglySorted (fun a b => before (fst a) (fst b)) pairs.

(* Exactly what the stream means, in increasing order, and so each key once. *)
Theorem visited_is_the_meaning : forall steps q, invariant q -> measure q < steps ->
  (forall k v, In (k, v) (visited steps q) <-> means q k = Some v) /\ in_order (visited steps q).
Proof.
  induction steps as [|n IH]; intros q I M; [lia|]. simpl.
  destruct (valid q) eqn:V.
  2:{ split; [|constructor]. intros k v. rewrite (law_end q k I V). split; [intros []|discriminate]. }
  destruct (ready q) eqn:R.
  - pose proof (next_progress q I V R) as P.
    destruct (IH (next q) (keeps_invariant_next q I V R) ltac:(lia)) as [Same Sorted]. split.
    + intros k v. simpl. rewrite Same. split.
      * intros [E|D].
        -- inversion E; subst. apply law_head; auto.
        -- rewrite <- D. symmetry. apply next_keeps; auto. eapply later_is_larger; eauto.
      * intros D. destruct (total k (index q)) as [B|[E|B]].
        -- rewrite (law_support q k I V B) in D. discriminate.
        -- subst k. rewrite (law_head q I V R) in D. inversion D. auto.
        -- right. rewrite <- D. apply next_keeps; auto.
    + constructor; auto. apply Forall_forall. intros [k v] X. apply Same in X. simpl. eapply later_is_larger; eauto.
  - pose proof (approach_progress q I V R) as P.
    destruct (IH (approach q) (keeps_invariant_approach q I V R) ltac:(lia)) as [Same Sorted]. split; auto.
    intros k v. rewrite Same. split; intros D.
    + rewrite <- D. symmetry. apply approach_keeps; auto. eapply approached_is_not_below; eauto.
    + rewrite <- D. apply approach_keeps; auto. intros B. rewrite (law_support q k I V B) in D. discriminate.
Qed.

(* There is only one list of those pairs in that order: so two streams that mean the same are folded alike. *)
Theorem one_order : forall a b, in_order a -> in_order b -> (forall x, In x a <-> In x b) -> a = b.
Proof.
  induction a as [|x a IH]; intros b Sa Sb Same.
  - destruct b as [|y b]; auto. exfalso. apply (proj2 (Same y)). now left.
  - destruct b as [|y b]; [exfalso; apply (proj1 (Same x)); now left|].
    inversion Sa as [|? ? Sa' Fa]; inversion Sb as [|? ? Sb' Fb]; subst. rewrite Forall_forall in Fa, Fb.
    assert (x = y).
    { destruct (proj1 (Same x) (or_introl eq_refl)) as [E|X]; auto.
      destruct (proj2 (Same y) (or_introl eq_refl)) as [E|Y]; auto.
      exfalso. apply (irreflexive (fst x)). eapply transitive; [apply Fa; exact Y|apply Fb; exact X]. }
    subst y. f_equal. apply IH; auto. intros z. split; intros Z.
    + destruct (proj1 (Same z) (or_intror Z)) as [E|]; auto. subst z. exfalso. apply (irreflexive (fst x)). auto.
    + destruct (proj2 (Same z) (or_intror Z)) as [E|]; auto. subst z. exfalso. apply (irreflexive (fst x)). auto.
Qed.

End Stream.

Print Assumptions fold_ends.
Print Assumptions fold_is_over_what_is_visited.
Print Assumptions visited_is_the_meaning.
Print Assumptions one_order.
