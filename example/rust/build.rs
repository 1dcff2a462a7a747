// SPDX-License-Identifier: Apache-2.0
//! Where the library is: CYCLOTOME_LIBRARY names libcyclotome.a; otherwise `pkg-config` knows.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=CYCLOTOME_LIBRARY");
    if let Some(archive) = env::var_os("CYCLOTOME_LIBRARY") {
        let folder = Path::new(&archive).parent().expect("CYCLOTOME_LIBRARY is the path of libcyclotome.a");
        println!("cargo:rerun-if-changed={}", Path::new(&archive).display());
        println!("cargo:rustc-link-search=native={}", folder.display());
    } else {
        let found = Command::new("pkg-config").args(["--variable=libdir", "cyclotome"]).output();
        let found = found.ok().filter(|found| found.status.success());
        let found = found.expect("set CYCLOTOME_LIBRARY to libcyclotome.a, or PKG_CONFIG_PATH to where cyclotome.pc is");
        println!("cargo:rustc-link-search=native={}", String::from_utf8_lossy(&found.stdout).trim());
    }
    println!("cargo:rustc-link-lib=static=cyclotome");
    println!("cargo:rustc-link-lib=dylib={}", if cfg!(target_os = "macos") { "c++" } else { "stdc++" });
}
