//! How files are read: the same arguments for every command that reads some.

use siglum_extract::PdfEngine;
use siglum_extract::worker::Isolation;

#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// The encoding of plain text, such as windows-1251 or cp850 [default: detected]
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// The engine that reads PDF
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) pdf_engine: PdfEngineArg,
    #[command(flatten)]
    pub(crate) confinement: ConfinementArgs,
}

/// How files are kept away from this process.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ConfinementArgs {
    /// Parse files in worker processes that are used again (workers), in a new process for each file (strict), or in this process (none)
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) isolation: IsolationArg,
    /// Refuse to run where the system lacks Landlock or seccomp, which confine the processes that parse files
    #[arg(long, hide_short_help = true)]
    pub(crate) require_sandbox: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum PdfEngineArg {
    #[default]
    Auto,
    Hayro,
    Pdfboss,
}

impl From<PdfEngineArg> for PdfEngine {
    fn from(engine: PdfEngineArg) -> PdfEngine {
        match engine {
            PdfEngineArg::Auto => PdfEngine::Auto,
            PdfEngineArg::Hayro => PdfEngine::Hayro,
            PdfEngineArg::Pdfboss => PdfEngine::Pdfboss,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum IsolationArg {
    #[default]
    Workers,
    Strict,
    None,
}

impl From<IsolationArg> for Isolation {
    fn from(isolation: IsolationArg) -> Isolation {
        match isolation {
            IsolationArg::Workers => Isolation::Workers,
            IsolationArg::Strict => Isolation::Strict,
            IsolationArg::None => Isolation::InProcess,
        }
    }
}
