//! `tenbin bisect`: finds the commit that made a server slower.
//!
//! Both ends are compared by a gate until the bad end is proven worse. Each further run compares one
//! commit with the good end in a number of blocks that is fixed before, and
//! [`Bisection`](tenbin_stats::Bisection) says which commit is next and how probable each is.

mod history;
mod progress;
mod result;
mod search;
mod step;

use tenbin_report::{bisect_json, terminal_bisect};
use tenbin_result::{Bisect, BisectOutcome};

use crate::args::BisectArgs;
use crate::errors::BuildError;
use crate::exit::Exit;
use crate::language::language;
use crate::output;
use crate::sentences::said;
use search::Search;

/// Finds the commit that made a server slower, and prints it.
pub(crate) fn bisect(args: &BisectArgs) -> Exit {
    let mut search = match Search::prepare(args) {
        Ok(search) => search,
        Err(exit) => return exit,
    };
    let outcome = match search.run() {
        Ok(outcome) => outcome,
        Err(exit) => return exit,
    };
    let result = if args.output().json {
        // Programs read the reasons in JSON: they are in English.
        let result = search.result(outcome, |why| why.text().to_owned());
        output::print(bisect_json(&result).as_bytes());
        result
    } else {
        let result = search.result(outcome, said);
        output::print_text(terminal_bisect(&result, language()));
        result
    };
    exit_of(&result)
}

fn exit_of(result: &Bisect) -> Exit {
    match result.outcome {
        BisectOutcome::Found => Exit::Done,
        BisectOutcome::Group
        | BisectOutcome::CannotTell
        | BisectOutcome::NotWorse
        | BisectOutcome::NotProven => Exit::Undecided,
        BisectOutcome::Invalid => Exit::Invalid,
        BisectOutcome::Interrupted => Exit::Interrupted,
    }
}

/// Prints why a revision cannot be built, and returns the exit code.
fn failed(why: &BuildError) -> Exit {
    output::failure(why);
    why.exit()
}
