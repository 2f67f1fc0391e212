//! `tenbin serve`: runs a built-in server.

use std::net::SocketAddr;
use std::num::NonZeroUsize;

use tenbin_plan::{Context, Credentials, Secret, Sentence, sentence};
use tenbin_targets::serve::{
    self, BlobOptions, Gone, HttpOptions, S3Options, Shares, TruthOptions,
};

use crate::args::{GoneArg, ServeCommand, ServeS3Args, ServeTruthArgs};
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Serves until Ctrl-C.
pub(crate) fn serve(command: &ServeCommand) -> Exit {
    let served = match command {
        ServeCommand::Http(args) => serve::http(
            &HttpOptions {
                listen: args.listen,
                delay: args.delay.0,
                server_timing: args.server_timing,
                workers: args.workers,
            },
            listening,
        ),
        ServeCommand::S3(args) => {
            let keys = match Keys::from_args(args) {
                Ok(keys) => keys,
                Err(exit) => return exit,
            };
            serve::s3(
                &S3Options {
                    listen: args.listen,
                    durable: args.durable.clone(),
                    memory: args.memory.map(|size| size.0),
                    credentials: keys.credentials.clone(),
                    faults: args.faults.clone(),
                    delay: args.delay.0,
                    workers: args.workers,
                },
                |address| {
                    keys.tell();
                    listening(address);
                },
            )
        }
        ServeCommand::Blob(args) => serve::blob(
            &BlobOptions {
                listen: args.listen,
                delete_lag: args.delete_lag.0,
                gone: match args.gone {
                    GoneArg::Cut => Gone::Cut,
                    GoneArg::NotFound => Gone::NotFound,
                },
                gone_delay: args.gone_delay.0,
                memory: args.memory.map(|size| size.0),
                secret: args.secret_key.as_ref().map(Secret::new),
                faults: args.faults.clone(),
                delay: args.delay.0,
                max_in_flight: args.max_in_flight,
                workers: args.workers,
            },
            listening,
        ),
        ServeCommand::Truth(args) => serve::truth(&truth(args), listening),
    };
    match served {
        Ok(()) => Exit::Done,
        Err(error) => {
            output::failure(&error);
            Exit::Target
        }
    }
}

fn truth(args: &ServeTruthArgs) -> TruthOptions {
    TruthOptions {
        listen: args.listen,
        service: args.service,
        seed: args.seed,
        workers: args
            .workers
            .or_else(|| args.single_queue.then_some(NonZeroUsize::MIN)),
        prefork: args.prefork,
        capacity: args.capacity.map(tenbin_plan::rate::Rate::get),
        credit: args.credit,
        stalls: args.stalls.clone(),
        rare_pause: args.rare_pause,
        shares: Shares {
            reset: args.reset,
            truncate: args.truncate,
            malformed: args.malformed,
        },
        two_writes: args.two_writes,
        log: args.log.clone(),
    }
}

/// A flag with a key, and the environment variable that can hold the key instead.
type KeySource = (&'static str, &'static str);

const ACCESS_KEY: KeySource = ("--access-key", serve::ACCESS_KEY_VARIABLE);
const SECRET_KEY: KeySource = ("--secret-key", serve::SECRET_KEY_VARIABLE);

struct Keys {
    credentials: Credentials,
    made_up: bool,
}

impl Keys {
    /// The given credentials, or generated ones. Prints an error for one key without the other.
    fn from_args(args: &ServeS3Args) -> Result<Self, Exit> {
        match (&args.access_key, &args.secret_key) {
            (Some(access_key), Some(secret_key)) => Ok(Self {
                credentials: Credentials::literal(access_key, secret_key),
                made_up: false,
            }),
            (None, None) => Self::generated().map_err(|error| {
                output::say_error(&sentence!(
                    "no-credentials-made",
                    "cannot generate credentials: {error}",
                    error
                ));
                Exit::Internal
            }),
            (Some(key), None) => Err(output::refuse(&alone(key, ACCESS_KEY, SECRET_KEY))),
            (None, Some(key)) => Err(output::refuse(&alone(key, SECRET_KEY, ACCESS_KEY))),
        }
    }

    fn generated() -> std::io::Result<Self> {
        let mut context = Context::of_this_process()?;
        Ok(Self {
            credentials: Credentials::made_up(&mut *context.random),
            made_up: true,
        })
    }

    /// Prints the credentials if they were generated; given credentials are not printed.
    fn tell(&self) {
        if !self.made_up {
            return;
        }
        let title = sentence!("credentials-made", "generated credentials for this server:");
        let text = format!(
            "{}\n  export TENBIN_ACCESS_KEY={}\n  export TENBIN_SECRET_KEY={}\n",
            said(&title),
            self.credentials.access_key,
            self.credentials.secret_key.reveal()
        );
        output::print_text(&text);
    }
}

/// Why one key is not enough: names where it comes from, and where the other is missing.
fn alone(
    key: &str,
    (flag, variable): KeySource,
    (other_flag, other_variable): KeySource,
) -> Sentence {
    let is_of_variable = std::env::var(variable).is_ok_and(|value| value == key);
    if is_of_variable {
        sentence!(
            "serve-variable-alone",
            "{other_variable} is not set, and {variable} is; set {other_variable}, or unset {variable} to \
             have both keys generated",
            variable,
            other_variable
        )
    } else {
        sentence!(
            "serve-flag-alone",
            "{flag} is given, and neither {other_flag} nor {other_variable} is; give {other_flag}, or \
             leave out {flag} to have both keys generated",
            flag,
            other_flag,
            other_variable
        )
    }
}

fn listening(address: SocketAddr) {
    output::print_text(format!("listening on http://{address}/\n"));
}
