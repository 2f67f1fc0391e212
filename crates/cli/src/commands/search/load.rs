//! `tenbin search load`.

use std::path::{Path, PathBuf};

use tenbin_corpus::Error;
use tenbin_corpus::documents::{DocumentKey, Reading};
use tenbin_corpus::load::{
    Broken, Files, LoadOptions, Mapping, Options, Progress, SavedProgress, Summary, in_directory,
    is_packed, load as run, state_file,
};
use tenbin_corpus::make::is_unfinished;
use tenbin_plan::{Sentence, sentence};
use tenbin_result::format::growing_bytes;

use super::progress::StepProgress;
use super::{fail, stop};
use crate::args::SearchLoadArgs;
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Loads data, or resumes a load.
pub(super) fn load(args: &SearchLoadArgs) -> Result<Exit, Error> {
    let files = files(args)?;
    let reading = reading(args, &files)?;
    let options = Options {
        documents: reading.tables(files.iter().map(PathBuf::as_path))?,
        mapping: args.mapping.as_deref().map(mapping).transpose()?,
        servers: args.servers.clone(),
        login: args.login.read().map_err(Error::Refused)?,
        shards: args.shards,
        replicas: args.replicas,
        force_merge: args.force_merge,
        dataset: args.dataset.clone(),
    };
    let sink = (args.into.make)(&options)?;
    let path = match &args.resume {
        Some(path) => path.clone(),
        None => state_file(&files, args.into.name, &args.servers),
    };
    let mut kept = SavedProgress::open(
        &path,
        args.into.name,
        &args.servers,
        (&files, &reading),
        args.restart,
    )?;
    if kept.done() > 0 {
        output::say_note(&sentence!(
            "load-resumes",
            "resuming after {records} records, recorded in {path}",
            records = kept.records(),
            path = path.display()
        ));
    }
    let manner = LoadOptions {
        batch: args.batch as usize,
        rate: args.messages_per_second,
    };
    let stop = stop()?;
    let total = total(&files);
    let mut display = StepProgress::new(args.quiet);
    let mut show = |progress: Progress| {
        if let Some(throughput) = progress.throughput.filter(|_| args.report_throughput) {
            output::print_text(format!("{}\n", throughput_line(throughput)));
        }
        display.show(|| {
            let total = total.map_or_else(Sentence::default, |total| {
                sentence!("load-of-total", " of {total}", total = growing_bytes(total))
            });
            sentence!(
                "load-progress",
                "{records} records, {bytes}{total} read",
                records = progress.records,
                bytes = growing_bytes(progress.bytes),
                total
            )
        });
    };
    let mut input = Files::with(&files, reading);
    let loaded = run(
        &mut input,
        sink,
        &mut kept,
        &manner,
        &|| stop.is_asked(),
        &mut show,
    );
    display.clear();
    Ok(ended(loaded, &kept))
}

/// Tells how the load has ended.
fn ended(loaded: Result<Summary, Box<Broken>>, kept: &SavedProgress) -> Exit {
    match loaded {
        Ok(summary) if summary.stopped => {
            tell_summary(&summary);
            let next = match summary.done {
                0 => sentence!(
                    "load-nothing-sent",
                    "nothing was sent; run the same command again"
                ),
                _ => how_to_resume(kept),
            };
            output::say_error(&sentence!("load-interrupted", "interrupted; {next}", next));
            Exit::Interrupted
        }
        Ok(summary) => {
            tell_summary(&summary);
            Exit::Done
        }
        Err(broken) => tell_broken(&broken, kept),
    }
}

/// A throughput line in the format of droonga-send.
pub(super) fn throughput_line(throughput: f64) -> String {
    // Equivalent to `% 8.3f` in C: a space instead of a plus sign.
    let signed = format!(" {throughput:.3}");
    format!("{signed:>8} messages/second")
}

fn tell_summary(summary: &Summary) {
    let before = summary.records - summary.now.min(summary.records);
    let before = match before {
        0 => Sentence::default(),
        before => sentence!(
            "load-before",
            ", {before} of them before and {now} this time",
            before,
            now = summary.now
        ),
    };
    let sent = sentence!(
        "load-summary",
        "{commands} commands and {records} records sent{before}, {throughput}",
        commands = summary.commands,
        records = summary.records,
        throughput = throughput_line(summary.throughput()).trim_start(),
        before
    );
    let mut text = format!("{}\n", said(&sent));
    for (table, count) in &summary.tables {
        let count = match count {
            Some(count) => sentence!("load-count", "{count} records in the database", count),
            None => sentence!(
                "load-count-unknown",
                "the number of records in the database is unknown: the protocol has no responses, \
                 and the nodes can still be storing what they have read; wait until their counts \
                 stay the same before you measure"
            ),
        };
        text += &format!("{table}: {}\n", said(&count));
    }
    output::print_text(&text);
}

fn tell_broken(broken: &Broken, kept: &SavedProgress) -> Exit {
    let exit = fail(&broken.error);
    let Summary { done, records, .. } = broken.summary;
    let has_sent = done > 0;
    match &broken.error {
        Error::Exists { .. } => output::say_note(&sentence!(
            "load-add-records",
            "to add records to it, load only the files with records, without schema, indexes \
                and --mapping"
        )),
        Error::Rejected { .. } => output::say_note(&stored(broken, kept)),
        Error::Malformed { .. } if has_sent => output::say_note(&sentence!(
            "load-malformed",
            "{records} records had been sent; correct the file and load it with --restart, \
             without schema and indexes that the server has already: records that are sent twice \
             create no duplicates",
            records
        )),
        _ if has_sent => output::say_note(&sentence!(
            "load-broken",
            "{records} records had been sent; {kept}",
            records,
            kept = how_to_resume(kept)
        )),
        _ => {}
    }
    match exit {
        Exit::Target if has_sent => Exit::TargetFailed,
        exit => exit,
    }
}

/// What is stored after the server has refused data. The error says what to do.
fn stored(broken: &Broken, kept: &SavedProgress) -> Sentence {
    let Summary {
        records, tables, ..
    } = &broken.summary;
    let in_table = |(table, count): &(String, Option<u64>)| match count {
        Some(count) => sentence!("table-holds", "{table} holds {count} records", table, count),
        None => sentence!(
            "table-unknown",
            "the number of records in {table} is unknown",
            table
        ),
    };
    let sent = sentence!("load-confirmed", "{records} records are confirmed", records);
    let progress = kept
        .path()
        .filter(|_| *records > 0)
        .map_or_else(Sentence::default, |path| {
            sentence!(
                "load-progress-in",
                "; the progress is in {path}",
                path = path.display()
            )
        });
    let all = tables.iter().map(in_table).fold(sent, |all, table| {
        sentence!("and-also", "{all}, {next}", all, next = table)
    });
    sentence!("chain", "{first}{next}", first = all, next = progress)
}

fn how_to_resume(kept: &SavedProgress) -> Sentence {
    match kept.path() {
        Some(path) => sentence!(
            "load-resume",
            "run the same command again to resume; the progress is in {path}",
            path = path.display()
        ),
        None => sentence!(
            "load-no-resume",
            "a load from standard input cannot be resumed: load from a file instead"
        ),
    }
}

/// How the files are read.
fn reading(args: &SearchLoadArgs, files: &[PathBuf]) -> Result<Reading, Error> {
    let reading = Reading {
        format: args.format,
        table: args.table.clone(),
        key: match (&args.key, args.number_keys) {
            (Some(name), _) => DocumentKey::Member(name.clone()),
            (None, true) => DocumentKey::Number,
            (None, false) => DocumentKey::Usual,
        },
        keeps_key: args.into.keeps_key,
    };
    let given = [
        ("--table", args.table.is_some()),
        ("--key", args.key.is_some()),
        ("--number-keys", args.number_keys),
        ("--mapping", args.mapping.is_some()),
    ];
    let given = given.into_iter().find(|(_, is_given)| *is_given);
    let are_documents = || {
        let paths = files.iter().map(PathBuf::as_path);
        reading.tables(paths).map(|tables| !tables.is_empty())
    };
    if let Some((flag, _)) = given
        && !are_documents()?
    {
        return Err(Error::refused(sentence!(
            "for-documents",
            "{flag} is for documents, but all files are read as Groonga commands; set --format \
             ndjson, csv or tsv if they are documents",
            flag
        )));
    }
    if args.mapping.is_some() && !args.into.takes_mapping {
        return Err(Error::refused(sentence!(
            "mapping-opensearch",
            "--mapping is for OpenSearch; describe the table for {name} with Groonga commands \
             (--schema, --indexes)",
            name = args.into.name
        )));
    }
    Ok(reading)
}

fn mapping(path: &Path) -> Result<Mapping, Error> {
    let text = std::fs::read(path).map_err(|source| Error::Read {
        name: path.display().to_string(),
        source,
    })?;
    Mapping::parse(&text).map_err(|why| {
        Error::refused(sentence!(
            "no-mapping",
            "{path} is not a mapping: {why}",
            path = path.display(),
            why
        ))
    })
}

/// The files to load: schema, indexes and data, in this order.
fn files(args: &SearchLoadArgs) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    files.extend(args.schema.clone());
    files.extend(args.indexes.clone());
    for path in &args.data {
        match path.is_dir() {
            true if is_unfinished(path) => {
                return Err(Error::refused(sentence!(
                    "pages-unfinished",
                    "{path} is unfinished: pages are missing; generate it again, or name its \
                     files to load the pages that exist",
                    path = path.display()
                )));
            }
            true => files.extend(in_directory(path)?),
            false => files.push(path.clone()),
        }
    }
    Ok(files)
}

/// Bytes of all files; `None` if a file is compressed, because the bytes read are those of its
/// content.
fn total(files: &[PathBuf]) -> Option<u64> {
    let length = |path: &PathBuf| {
        let is_plain = !is_packed(path);
        std::fs::metadata(path)
            .ok()
            .filter(|_| is_plain)
            .map(|file| file.len())
    };
    files.iter().map(length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_as_droonga_send_prints_it() {
        assert_eq!(throughput_line(99.5), "  99.500 messages/second");
        assert_eq!(throughput_line(12_345.678_9), " 12345.679 messages/second");
        assert_eq!(throughput_line(0.0), "   0.000 messages/second");
    }
}
