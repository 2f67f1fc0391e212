//! The lines of `examples/ci` that install Tenbin.

use super::common::{Scratch, tied};
use super::workflow::jobs;

/// A release at a URL, with an archive for this machine.
fn release(scratch: &Scratch) -> String {
    let script = "set -e; mkdir -p $0/v1.2.3 && cd $0/v1.2.3 && n=tenbin-1.2.3-$(uname -m)-unknown-linux-musl
        mkdir $n && printf '#!/bin/sh\necho release\n' > $n/tenbin && chmod +x $n/tenbin
        tar czf $n.tar.gz $n && rm -r $n && sha256sum $n.tar.gz > SHA256SUMS
        echo \"$(echo x | sha256sum | cut -c1-64)  another-file.deb\" >> SHA256SUMS";
    let place = scratch.join("releases");
    let made = tied("sh").args(["-c", script, &place]).output();
    let made = made.expect("a shell");
    assert!(made.status.success(), "{made:?}");
    format!("file://{place}")
}

#[test]
fn the_steps_that_install_tenbin_check_the_archive() {
    let scratch = Scratch::new("gate-install");
    let url = release(&scratch);
    let place = scratch.join("runner");
    std::fs::create_dir(&place).expect("a directory");
    let added = scratch.join("path");
    let run = |script: &str| {
        let script = format!(
            "{script}\n[ ! -f \"$GITHUB_PATH\" ] || PATH=$(cat \"$GITHUB_PATH\"):$PATH\ntenbin"
        );
        let output = tied("bash")
            .args(["-e", "-c", &script])
            .current_dir(&place)
            .env("TENBIN_VERSION", "1.2.3")
            .env("TENBIN_URL", &url)
            .env("GITHUB_PATH", &added)
            .env("WORKSPACE_TMP", &place)
            .env("PATH", format!("{place}/tenbin:/usr/bin:/bin"))
            .output();
        let output = output.expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), said)
    };
    for script in jobs::installs() {
        let _ = std::fs::remove_file(&added);
        let (passes, said) = run(&script);
        assert!(passes && said.ends_with("release\n"), "{script}: {said}");
    }
    let spoil = "cd $0/v1.2.3 && for f in *.tar.gz; do echo >> $f; done";
    let spoilt = tied("sh")
        .args(["-c", spoil, &scratch.join("releases")])
        .status();
    assert!(spoilt.expect("a shell").success());
    for script in jobs::installs() {
        let _ = std::fs::remove_file(&added);
        let (passes, said) = run(&script);
        assert!(!passes && said.contains("FAILED"), "{script}: {said}");
    }
}
