//! Login to search servers.

use std::path::PathBuf;

use clap::Args;
use tenbin_http::Login;
use tenbin_plan::{Sentence, sentence};

/// User, password and certificate check of a search server.
#[derive(Args)]
pub struct LoginArgs {
    /// User name, if the server requires a login
    #[arg(long, value_name = "NAME", requires = "password_file")]
    pub user: Option<String>,
    /// File with the password of the user
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// Accept any server certificate
    #[arg(long)]
    pub insecure: bool,
}

impl LoginArgs {
    /// The login, with the password read from its file.
    ///
    /// # Errors
    /// One sentence, if the file cannot be read.
    pub fn read(&self) -> Result<Login, Sentence> {
        let login = Login {
            insecure: self.insecure,
            ..Login::default()
        };
        let (Some(user), Some(file)) = (&self.user, &self.password_file) else {
            return Ok(login);
        };
        let password = std::fs::read_to_string(file).map_err(|error| {
            sentence!(
                "password-unreadable",
                "cannot read the password in {file}: {error}",
                file = file.display(),
                error
            )
        })?;
        Ok(login.basic(user, password.trim_end_matches(['\n', '\r'])))
    }
}
