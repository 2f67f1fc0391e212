//! Arguments in, progress and tables out, exit code.

pub mod args;
