// SPDX-License-Identifier: Apache-2.0
//! x y + x on encrypted numbers: cargo run

use cyclotome_example::{Context, Result};

fn main() -> Result<()> {
    let context = Context::suggest(1, 10)?;
    let (secret, public, evaluation) = context.keygen()?;
    let x = public.encrypt(&[1, -2, 3], 1000)?.with_keys(&evaluation)?;
    let y = public.encrypt(&[10, 20, 30], 1000)?;
    let result = (&(&x * &y)? + &x)?;
    println!("{:?}", secret.decrypt(&result)?);
    Ok(())
}
