(* SPDX-License-Identifier: Apache-2.0 *)
(* The tails of doc/noise.md's coefficients: what is drawn is ternary, or a sum of bits less one half; a coefficient of
   an error is a sum of draws with numbers that are fixed beforehand (a public key's errors, the secret, roots). All draws
   are finite: a law is a list of probabilities and values, and an expectation a finite sum, so that nothing of measure
   theory is needed. *)
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals Lra Lia List.
From Cyclotome Require Import constants.
Import ListNotations.
Open Scope R_scope.

(* --- laws and expectations --- *)

Definition law := list (R * R).

Fixpoint weighed (l : law) (f : R -> R) : R :=
  match l with [] => 0 | (p, v) :: rest => p * f v + weighed rest f end.

Definition probabilities (l : law) := Forall (fun each => 0 <= fst each) l /\ weighed l (fun _ => 1) = 1.

Lemma weighed_le l f g : Forall (fun each => 0 <= fst each) l -> (forall v, f v <= g v) -> weighed l f <= weighed l g.
Proof.
  intros H Hfg. induction H as [|[p v] l Hp H IH]; simpl in *; [lra|].
  assert (p * f v <= p * g v) by (apply Rmult_le_compat_l; auto). lra.
Qed.

Lemma weighed_scale l a f : weighed l (fun v => a * f v) = a * weighed l f.
Proof. induction l as [|[p v] l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma weighed_plus l f g : weighed l (fun v => f v + g v) = weighed l f + weighed l g.
Proof. induction l as [|[p v] l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma weighed_ext l f g : (forall v, f v = g v) -> weighed l f = weighed l g.
Proof. intros H. induction l as [|[p v] l IH]; simpl; [reflexivity|rewrite IH, H; reflexivity]. Qed.

(* The expectation of a function of draws, one of each law, all independent. *)
Fixpoint mean_of (laws : list law) (f : list R -> R) : R :=
  match laws with
  | [] => f []
  | l :: rest => weighed l (fun v => mean_of rest (fun draws => f (v :: draws)))
  end.

Definition all_laws (laws : list law) := Forall probabilities laws.

Lemma mean_le laws f g : all_laws laws -> (forall draws, f draws <= g draws) -> mean_of laws f <= mean_of laws g.
Proof.
  revert f g. induction laws as [|l laws IH]; intros f g H Hfg; simpl; [apply Hfg|].
  inversion H; subst. apply weighed_le; [apply H2|]. intros v. apply IH; [assumption|]. intros; apply Hfg.
Qed.

Lemma mean_ext laws f g : (forall draws, f draws = g draws) -> mean_of laws f = mean_of laws g.
Proof.
  revert f g. induction laws as [|l laws IH]; intros f g H; simpl; [apply H|].
  apply weighed_ext. intros v. apply IH. intros; apply H.
Qed.

Lemma mean_scale laws a f : mean_of laws (fun draws => a * f draws) = a * mean_of laws f.
Proof.
  revert f. induction laws as [|l laws IH]; intros f; simpl; [reflexivity|].
  rewrite <- weighed_scale. apply weighed_ext. intros v. apply (IH (fun draws => f (v :: draws))).
Qed.

Lemma mean_plus laws f g : mean_of laws (fun draws => f draws + g draws) = mean_of laws f + mean_of laws g.
Proof.
  revert f g. induction laws as [|l laws IH]; intros f g; simpl; [reflexivity|].
  rewrite <- weighed_plus. apply weighed_ext. intros v.
  apply (IH (fun draws => f (v :: draws)) (fun draws => g (v :: draws))).
Qed.

Lemma mean_zero laws : mean_of laws (fun _ => 0) = 0.
Proof.
  induction laws as [|l laws IH]; simpl; [reflexivity|].
  rewrite (weighed_ext l _ (fun v => 0 * 1)) by (intros; rewrite IH; ring). rewrite weighed_scale. ring.
Qed.

(* --- sub-Gaussian draws --- *)

(* Of variance proxy v: strictly so where v is the variance. *)
Definition sub_gaussian (l : law) (v : R) := forall s, weighed l (fun x => exp (s * x)) <= exp (v * (s * s) / 2).

Definition ternary : law := [(/ 3, -1); (/ 3, 0); (/ 3, 1)].
(* A bit less one half: 42 of them are a centred binomial of 21 pairs. *)
Definition half_bit : law := [(/ 2, - / 2); (/ 2, / 2)].

Lemma ternary_is_a_law : probabilities ternary.
Proof. split; [repeat constructor; simpl; lra|simpl; lra]. Qed.

Lemma half_bit_is_a_law : probabilities half_bit.
Proof. split; [repeat constructor; simpl; lra|simpl; lra]. Qed.

(* Their variances. *)
Lemma ternary_variance : weighed ternary (fun x => x * x) = 2 / 3.
Proof. simpl. field. Qed.

Lemma half_bit_variance : weighed half_bit (fun x => x * x) = 1 / 4.
Proof. simpl. field. Qed.

(* What grows from 0 on is at least what it is at 0. *)
Lemma grows (f f' : R -> R) x :
  0 <= x -> (forall c, 0 <= c <= x -> is_derive f c (f' c)) -> (forall c, 0 <= c <= x -> 0 <= f' c) -> f 0 <= f x.
Proof.
  intros Hx Hd Hp.
  destruct (MVT_gen f 0 x f') as [c [Hc E]].
  - intros c Hc. rewrite Rmin_left, Rmax_right in Hc by exact Hx. apply Hd; lra.
  - intros c Hc. rewrite Rmin_left, Rmax_right in Hc by exact Hx.
    apply derivable_continuous_pt. exists (f' c). apply is_derive_Reals. apply Hd; lra.
  - rewrite Rmin_left, Rmax_right in Hc by exact Hx.
    assert (0 <= f' c * (x - 0)) by (apply Rmult_le_pos; [apply Hp; exact Hc|lra]). lra.
Qed.

Lemma exp_ge_opposite x : 0 <= x -> exp (- x) <= exp x.
Proof. intros [H| <-]; [left; apply exp_increasing; lra|right; f_equal; ring]. Qed.

Lemma sum_at_least_two x : 2 <= exp x + exp (- x).
Proof.
  assert (P : 0 < exp x) by apply exp_pos. assert (E : exp x * exp (- x) = 1).
  { rewrite <- exp_plus, Rplus_opp_r, exp_0. reflexivity. }
  assert (Q : 0 < exp (- x)) by apply exp_pos.
  assert (S := Rle_0_sqr (exp x - exp (- x))). unfold Rsqr in S.
  apply Rsqr_incr_0_var; [unfold Rsqr; nra|lra].
Qed.

(* M below exp(v x^2 / 2) for x >= 0, where M(0) = 1 and M' <= v x M: since M exp(-v x^2/2) falls. *)
Lemma below_gaussian (M M' : R -> R) v x :
  0 <= x -> M 0 = 1 -> (forall c, 0 <= c <= x -> is_derive M c (M' c)) ->
  (forall c, 0 <= c <= x -> M' c <= v * c * M c) -> M x <= exp (v * (x * x) / 2).
Proof.
  intros Hx H0 Hd Hle.
  assert (G := grows (fun c => - (M c * exp (- (v * (c * c) / 2))))
                     (fun c => (v * c * M c - M' c) * exp (- (v * (c * c) / 2))) x Hx).
  assert (E : exp (v * (x * x) / 2) * exp (- (v * (x * x) / 2)) = 1).
  { rewrite <- exp_plus, Rplus_opp_r, exp_0. reflexivity. }
  assert (P : 0 < exp (v * (x * x) / 2)) by apply exp_pos.
  assert (Q : 0 < exp (- (v * (x * x) / 2))) by apply exp_pos.
  simpl in G. rewrite H0 in G. replace (v * (0 * 0) / 2) with 0 in G by field. rewrite Ropp_0, exp_0 in G.
  assert (- (1 * 1) <= - (M x * exp (- (v * (x * x) / 2)))).
  { apply G.
    - intros c Hc. specialize (Hd c Hc). auto_derive.
      + exists (M' c). exact Hd.
      + replace (Derive (fun x0 : R => M x0) c) with (M' c) by (symmetry; apply is_derive_unique; exact Hd).
        unfold Rdiv. field.
    - intros c Hc. specialize (Hle c Hc). apply Rmult_le_pos; [lra|left; apply exp_pos]. }
  apply (Rmult_le_reg_r (exp (- (v * (x * x) / 2)))); [exact Q|]. rewrite E. lra.
Qed.

(* x cosh x - sinh x, doubled. *)
Lemma sinh_below x : 0 <= x -> exp x - exp (- x) <= x * (exp x + exp (- x)).
Proof.
  intros Hx.
  assert (G := grows (fun c => c * (exp c + exp (- c)) - (exp c - exp (- c))) (fun c => c * (exp c - exp (- c))) x Hx).
  simpl in G. rewrite Ropp_0, exp_0 in G.
  assert (0 * (1 + 1) - (1 - 1) <= x * (exp x + exp (- x)) - (exp x - exp (- x))).
  { apply G; intros c Hc; [auto_derive; [exact I|ring]|].
    apply Rmult_le_pos; [lra|]. assert (exp (- c) <= exp c) by (apply exp_ge_opposite; lra). lra. }
  lra.
Qed.

(* x (1 + 2 cosh x) - 3 sinh x, with what its derivative is at least. *)
Lemma ternary_below x : 0 <= x -> 3 * (exp x - exp (- x)) <= 2 * (x * (1 + exp x + exp (- x))).
Proof.
  intros Hx.
  assert (S : forall c, 0 <= c -> 0 <= 2 + 2 * c * (exp c - exp (- c)) - (exp c + exp (- c))).
  { intros c Hc.
    assert (G := grows (fun c => 2 + 2 * c * (exp c - exp (- c)) - (exp c + exp (- c)))
                       (fun c => (exp c - exp (- c)) + 2 * c * (exp c + exp (- c))) c Hc).
    simpl in G. rewrite Ropp_0, exp_0 in G.
    assert (2 + 2 * 0 * (1 - 1) - (1 + 1) <= 2 + 2 * c * (exp c - exp (- c)) - (exp c + exp (- c))).
    { apply G; intros b Hb; [auto_derive; [exact I|ring]|].
      assert (exp (- b) <= exp b) by (apply exp_ge_opposite; lra).
      assert (0 <= 2 * b * (exp b + exp (- b))).
      { apply Rmult_le_pos; [lra|]. assert (2 <= exp b + exp (- b)) by apply sum_at_least_two. lra. }
      lra. }
    lra. }
  assert (G := grows (fun c => 2 * (c * (1 + exp c + exp (- c))) - 3 * (exp c - exp (- c)))
                     (fun c => 2 + 2 * c * (exp c - exp (- c)) - (exp c + exp (- c))) x Hx).
  simpl in G. rewrite Ropp_0, exp_0 in G.
  assert (2 * (0 * (1 + 1 + 1)) - 3 * (1 - 1) <= 2 * (x * (1 + exp x + exp (- x))) - 3 * (exp x - exp (- x))).
  { apply G; intros c Hc; [auto_derive; [exact I|ring]|apply S; lra]. }
  lra.
Qed.

(* Of even functions it is enough from 0 on. *)
Lemma both_signs (M : R -> R) v :
  (forall x, M (- x) = M x) -> (forall x, 0 <= x -> M x <= exp (v * (x * x) / 2)) ->
  forall x, M x <= exp (v * (x * x) / 2).
Proof.
  intros E H x. destruct (Rle_dec 0 x) as [P|P]; [apply H; exact P|].
  rewrite <- E. replace (x * x) with (- x * - x) by ring. apply H. lra.
Qed.

Theorem ternary_is_strictly_sub_gaussian : sub_gaussian ternary (2 / 3).
Proof.
  assert (E : forall s, weighed ternary (fun x => exp (s * x)) = (1 + exp s + exp (- s)) / 3).
  { intros s. simpl. replace (s * -1) with (- s) by ring. rewrite Rmult_0_r, Rmult_1_r, exp_0. field. }
  intros s. rewrite E. apply (both_signs (fun s => (1 + exp s + exp (- s)) / 3) (2 / 3)).
  - intros x. rewrite Ropp_involutive. field.
  - intros x Hx. apply (below_gaussian (fun s => (1 + exp s + exp (- s)) / 3) (fun s => (exp s - exp (- s)) / 3)).
    + exact Hx.
    + rewrite Ropp_0, exp_0. field.
    + intros c _. auto_derive; [exact I|field].
    + intros c Hc. assert (B := ternary_below c (proj1 Hc)). lra.
Qed.

Theorem half_bit_is_strictly_sub_gaussian : sub_gaussian half_bit (1 / 4).
Proof.
  assert (E : forall s, weighed half_bit (fun x => exp (s * x)) = (exp (s / 2) + exp (- (s / 2))) / 2).
  { intros s. simpl. replace (s * - / 2) with (- (s / 2)) by field. replace (s * / 2) with (s / 2) by field. field. }
  assert (H : forall x, (exp x + exp (- x)) / 2 <= exp (1 * (x * x) / 2)).
  { apply (both_signs (fun x => (exp x + exp (- x)) / 2) 1).
    - intros x. rewrite Ropp_involutive. field.
    - intros x Hx. apply (below_gaussian (fun s => (exp s + exp (- s)) / 2) (fun s => (exp s - exp (- s)) / 2)).
      + exact Hx.
      + rewrite Ropp_0, exp_0. field.
      + intros c _. auto_derive; [exact I|field].
      + intros c Hc. assert (B := sinh_below c (proj1 Hc)). lra. }
  intros s. rewrite E. eapply Rle_trans; [apply H|]. right. f_equal. field.
Qed.

(* --- sums of draws --- *)

(* A coefficient: the sum of draws with fixed factors, as many as there are of both. *)
Fixpoint combined (factors draws : list R) : R :=
  match factors, draws with c :: cs, x :: xs => c * x + combined cs xs | _, _ => 0 end.

(* The sum of squared factors times the draws' proxies. *)
Fixpoint variance (factors proxies : list R) : R :=
  match factors, proxies with c :: cs, v :: vs => c * c * v + variance cs vs | _, _ => 0 end.

Theorem sums_are_sub_gaussian laws proxies factors s :
  all_laws laws -> Forall2 sub_gaussian laws proxies -> length factors = length laws ->
  mean_of laws (fun draws => exp (s * combined factors draws)) <= exp (variance factors proxies * (s * s) / 2).
Proof.
  intros Hl H. revert factors. induction H as [|l v laws proxies Hv H IH]; intros factors Hn.
  - destruct factors; [|discriminate]. simpl. right. f_equal. field.
  - destruct factors as [|c factors]; [discriminate|]. simpl in Hn. injection Hn as Hn.
    inversion Hl as [|? ? Hp Hps]; subst. simpl.
    rewrite (weighed_ext l _ (fun x => mean_of laws (fun draws => exp (s * combined factors draws)) * exp (s * c * x))).
    2:{ intros x. rewrite (Rmult_comm (mean_of laws _)), <- mean_scale. apply mean_ext. intros draws. rewrite <- exp_plus. f_equal. ring. }
    rewrite weighed_scale.
    replace ((c * c * v + variance factors proxies) * (s * s) / 2)
      with (variance factors proxies * (s * s) / 2 + v * (s * c * (s * c)) / 2) by field.
    rewrite exp_plus. apply Rmult_le_compat.
    + rewrite <- (mean_zero laws). apply mean_le; [assumption|]. intros. left. apply exp_pos.
    + rewrite <- (Rmult_0_l (weighed l (fun _ => 1))), <- weighed_scale.
      apply weighed_le; [apply Hp|]. intros. rewrite Rmult_0_l. left. apply exp_pos.
    + apply IH; assumption.
    + apply Hv.
Qed.

(* --- tails --- *)

(* 1 where x is at least t. *)
Definition reaches (t x : R) : R := if Rle_dec t x then 1 else 0.

Lemma reaches_below t x s : 0 <= s -> reaches t x <= exp (s * x - s * t).
Proof.
  intros Hs. unfold reaches. destruct (Rle_dec t x) as [H|H]; [|left; apply exp_pos].
  rewrite <- exp_0. assert (0 <= s * (x - t)) by (apply Rmult_le_pos; lra).
  destruct (Req_dec (s * x - s * t) 0) as [->|Hne]; [lra|left; apply exp_increasing; lra].
Qed.

Theorem one_tail laws proxies factors T :
  all_laws laws -> Forall2 sub_gaussian laws proxies -> length factors = length laws ->
  0 < variance factors proxies -> 0 <= T ->
  mean_of laws (fun draws => reaches (T * sqrt (variance factors proxies)) (combined factors draws)) <= exp (- (T * T) / 2).
Proof.
  intros Hl H Hn HV HT. set (V := variance factors proxies) in *.
  assert (HS : 0 < sqrt V) by (apply sqrt_lt_R0; exact HV).
  assert (SS : sqrt V * sqrt V = V) by (apply sqrt_sqrt; lra).
  set (s := T / sqrt V).
  assert (Hs : 0 <= s) by (apply Rmult_le_pos; [exact HT|left; apply Rinv_0_lt_compat; exact HS]).
  apply Rle_trans with (mean_of laws (fun draws => exp (- (s * (T * sqrt V))) * exp (s * combined factors draws))).
  - apply mean_le; [exact Hl|]. intros draws. eapply Rle_trans; [apply (reaches_below _ _ s Hs)|].
    right. rewrite <- exp_plus. f_equal. ring.
  - rewrite mean_scale.
    apply Rle_trans with (exp (- (s * (T * sqrt V))) * exp (V * (s * s) / 2)).
    + apply Rmult_le_compat_l; [left; apply exp_pos|apply sums_are_sub_gaussian; assumption].
    + right. rewrite <- exp_plus. f_equal. unfold s.
      replace (V * (T / sqrt V * (T / sqrt V)) / 2) with (V / (sqrt V * sqrt V) * (T * T) / 2) by (field; lra).
      rewrite SS. field. split; lra.
Qed.

(* The magnitude: the opposite sum has the same variance. *)
Lemma opposite_combined factors draws : combined (map Ropp factors) draws = - combined factors draws.
Proof.
  revert draws. induction factors as [|c factors IH]; intros [|x draws]; simpl; try (rewrite ?Ropp_0; reflexivity).
  rewrite IH. ring.
Qed.

Lemma opposite_variance factors proxies : variance (map Ropp factors) proxies = variance factors proxies.
Proof.
  revert proxies. induction factors as [|c factors IH]; intros [|v proxies]; simpl; try reflexivity. rewrite IH. ring.
Qed.

Lemma reaches_magnitude t x : reaches t (Rabs x) <= reaches t x + reaches t (- x).
Proof.
  unfold reaches, Rabs. destruct (Rcase_abs x); destruct (Rle_dec t x); destruct (Rle_dec t (- x)); lra.
Qed.

Theorem both_tails laws proxies factors T :
  all_laws laws -> Forall2 sub_gaussian laws proxies -> length factors = length laws ->
  0 < variance factors proxies -> 0 <= T ->
  mean_of laws (fun draws => reaches (T * sqrt (variance factors proxies)) (Rabs (combined factors draws)))
  <= 2 * exp (- (T * T) / 2).
Proof.
  intros Hl H Hn HV HT.
  assert (A := one_tail laws proxies factors T Hl H Hn HV HT).
  assert (B := one_tail laws proxies (map Ropp factors) T Hl H).
  rewrite map_length, opposite_variance in B. specialize (B Hn HV HT).
  eapply Rle_trans; [apply mean_le; [exact Hl|intros draws; apply reaches_magnitude]|].
  rewrite mean_plus.
  rewrite (mean_ext laws (fun draws => reaches _ (- combined factors draws))
                    (fun draws => reaches (T * sqrt (variance factors proxies)) (combined (map Ropp factors) draws))).
  - lra.
  - intros draws. rewrite opposite_combined. reflexivity.
Qed.

(* All n coefficients, each with factors of its own and of the same draws. *)
Fixpoint any (t : R) (every : list (list R)) (draws : list R) : R :=
  match every with [] => 0 | factors :: rest => reaches t (Rabs (combined factors draws)) + any t rest draws end.

(* The number of those that pass T sqrt(V): 0 outside of an event of probability exp(-Lambda). *)
Theorem coefficients_stay_within laws proxies every V Lambda :
  all_laws laws -> Forall2 sub_gaussian laws proxies ->
  Forall (fun factors => length factors = length laws /\ variance factors proxies = V) every -> 0 < V ->
  (0 < length every)%nat -> 0 <= Lambda + ln (2 * INR (length every)) ->
  mean_of laws (any (sqrt (2 * (Lambda + ln (2 * INR (length every)))) * sqrt V) every) <= exp (- Lambda).
Proof.
  intros Hl H He HV Hn HL. set (T := sqrt (2 * (Lambda + ln (2 * INR (length every))))).
  assert (HT : 0 <= T) by apply sqrt_pos.
  assert (M : forall some, Forall (fun factors => length factors = length laws /\ variance factors proxies = V) some ->
                           mean_of laws (any (T * sqrt V) some) <= 2 * INR (length some) * exp (- (T * T) / 2)).
  { intros some Hs. induction Hs as [|factors some [Hf HfV] Hs IH].
    - simpl any. rewrite mean_zero. simpl. lra.
    - simpl any. rewrite mean_plus. simpl length. rewrite S_INR.
      assert (B := both_tails laws proxies factors T Hl H Hf). rewrite HfV in B. specialize (B HV HT). lra. }
  eapply Rle_trans; [apply M; exact He|].
  apply (all_coefficients (INR (length every)) Lambda (exp (- (T * T) / 2))).
  - apply lt_0_INR. exact Hn.
  - exact HL.
  - right. reflexivity.
Qed.

Print Assumptions coefficients_stay_within.
Print Assumptions ternary_is_strictly_sub_gaussian.
