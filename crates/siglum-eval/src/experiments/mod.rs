//! One module an experiment. Each returns what it measured as a value and writes it as a table.

pub mod probability;
pub mod sigla;
pub mod speed;

/// What ran, for the head of every record.
pub fn heading(title: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let command: Vec<String> = std::env::args().skip(1).collect();
    let command = command.join(" ");
    format!(
        "# {title}\n\n`siglum-eval {command}`, {} {}, {cores} cores\n",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}
