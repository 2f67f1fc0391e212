//! Login to search servers.

use std::path::PathBuf;

use clap::Args;
use tenbin_corpus::http::Login;

/// User, password and certificates of a search server.
#[derive(Args)]
pub struct LoginArgs {
    /// User, if the server requires one
    #[arg(long, value_name = "NAME", requires = "password_file")]
    pub user: Option<String>,
    /// File with the user's password
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// Accept any certificate
    #[arg(long)]
    pub insecure: bool,
}

impl LoginArgs {
    /// The login, with the password read from its file.
    ///
    /// # Errors
    /// When the file cannot be read; one sentence.
    pub fn read(&self) -> Result<Login, String> {
        let basic = match (&self.user, &self.password_file) {
            (Some(user), Some(file)) => {
                let password = std::fs::read_to_string(file).map_err(|error| {
                    format!("cannot read the password in {}: {error}", file.display())
                })?;
                let password = password.trim_end_matches(['\n', '\r']).to_owned();
                Some((user.clone(), password))
            }
            _ => None,
        };
        Ok(Login {
            basic,
            insecure: self.insecure,
        })
    }
}
