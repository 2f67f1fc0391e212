//! `tenbin observe`: reports the CPU and memory use of local processes to another machine.

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use tenbin_plan::{Secret, Sentence, sentence};
use tenbin_targets::observe::{self, ObserveError, ObserveOptions};

use crate::args::ObserveArgs;
use crate::exit::Exit;
use crate::output;

/// Smallest length of a token in characters; shorter tokens could be guessed.
const SHORTEST_TOKEN: usize = 16;

/// Serves until Ctrl-C.
pub(crate) fn observe(args: &ObserveArgs) -> Exit {
    let options = match options(args) {
        Ok(options) => options,
        Err(why) => return output::refuse(&why),
    };
    let scheme = match options.tls {
        Some(_) => "https",
        None => "http",
    };
    let processes = options.processes.to_string();
    let served = observe::serve(&options, |address: SocketAddr, seen| {
        let plural = if seen == 1 { "" } else { "es" };
        let text = format!(
            "observing {processes}: {seen} process{plural} now\n\
             listening on {scheme}://{address}/\n"
        );
        output::print_text(&text);
    });
    match served {
        Ok(()) => Exit::Done,
        Err(error) => {
            output::failure(&error);
            match error {
                ObserveError::Tls(_) => Exit::Refused,
                ObserveError::Runtime(_) => Exit::Internal,
                ObserveError::Processes { .. } | ObserveError::Listen { .. } => Exit::Target,
            }
        }
    }
}

fn options(args: &ObserveArgs) -> Result<ObserveOptions, Sentence> {
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    let is_readable_on_the_way = !args.listen.ip().is_loopback() && tls.is_none();
    if is_readable_on_the_way && !args.without_tls {
        return Err(sentence!(
            "observe-without-tls",
            "--listen {listen}: without TLS, others could read token and figures on the network; \
             set --tls-cert and --tls-key, or --without-tls on a trusted network",
            listen = args.listen
        ));
    }
    Ok(ObserveOptions {
        listen: args.listen,
        processes: args.processes(),
        token: token(&args.token_file)?,
        tls,
    })
}

/// Permission bit of a file that every user can read.
const READ_BY_OTHERS: u32 = 0o004;

fn token(file: &Path) -> Result<Secret, Sentence> {
    let shown = file.display();
    let unreadable = |error: std::io::Error| {
        sentence!(
            "token-unreadable",
            "--token-file: cannot read {shown}: {error}",
            shown,
            error
        )
    };
    let mode = std::fs::metadata(file).map_err(unreadable)?.mode();
    // The bits of the group can belong to an access list, as in credentials of systemd.
    if mode & READ_BY_OTHERS != 0 {
        return Err(sentence!(
            "token-readable",
            "--token-file: every user of this machine can read {shown} (mode {mode}); chmod 600 \
             {shown}",
            shown,
            mode = format!("{:o}", mode & 0o777)
        ));
    }
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    let token = text.trim_end_matches(['\r', '\n']);
    if token.len() < SHORTEST_TOKEN {
        return Err(sentence!(
            "token-short",
            "--token-file: {shown} holds a token of {length} characters, which can be guessed; \
             take at least {shortest_token}, for example those of: head -c 32 /dev/urandom | \
             base64",
            shown,
            length = token.len(),
            shortest_token = SHORTEST_TOKEN
        ));
    }
    // HTTP headers do not allow other characters.
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(sentence!(
            "token-letters",
            "--token-file: the token in {shown} has to be one line of letters, digits and signs, \
             without spaces",
            shown
        ));
    }
    Ok(Secret::new(token))
}
