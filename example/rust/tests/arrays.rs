// SPDX-License-Identifier: Apache-2.0
//! What the layer promises: right values, refusals as errors, and objects that threads share.

use cyclotome_example::Context;
use std::thread;

#[test]
fn values_are_those_of_integers_on_every_thread() {
    let context = Context::suggest(1, 10).unwrap();
    let (secret, public, evaluation) = context.keygen().unwrap();
    let (a, b) = ([7i64, -1000, 31], [-3i64, 2, 0]);
    let x = public.encrypt(&a, 1000).unwrap().with_keys(&evaluation).unwrap();
    let y = public.encrypt(&b, 1000).unwrap();
    drop((public, evaluation)); // arrays hold what they need
    let expected: Vec<i64> = a.iter().zip(b).map(|(a, b)| a * b + a).collect();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let sent = (&(&x * &y).unwrap() + &x).unwrap().to_bytes().unwrap();
                assert_eq!(secret.decrypt(&context.read(&sent).unwrap()).unwrap(), expected);
            });
        }
    });
}

#[test]
fn refusals_are_errors_that_say_why() {
    let context = Context::suggest(1, 10).unwrap();
    let (secret, public, _) = context.keygen().unwrap();
    let beyond = public.encrypt(&[1001], 1000).err().unwrap();
    assert_eq!(beyond.name, "RangeError");
    assert!(beyond.message.contains("1000"), "{beyond}");
    assert_eq!(public.encrypt(&[], 1000).err().unwrap().name, "ArgumentError");
    let x = public.encrypt(&[5], 1000).unwrap();
    assert_eq!((&x * &x).err().unwrap().name, "MissingKeyError");
    let mut bytes = x.to_bytes().unwrap();
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    assert_eq!(context.read(&bytes).err().unwrap().name, "FormatError");
    assert_eq!(context.read(&[]).err().unwrap().name, "FormatError");
    let (other, _, _) = context.keygen().unwrap();
    assert_eq!(other.decrypt(&x).err().unwrap().name, "MismatchError");
    assert_eq!(secret.decrypt(&x).unwrap(), [5]);
}
