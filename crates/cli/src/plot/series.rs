//! Quantities of runs over time.

use clap::ValueEnum;
use fabricsim::Error;
use fabricsim_plot::figure::{Figure, Quantity, Selection, read_time_lines, time_figure};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use super::{Drawing, capitalized, refused};
use crate::results::refuse_mixture;

#[derive(Debug, clap::Args)]
pub(super) struct SeriesArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Quantity to draw
    #[arg(long, value_enum, default_value = "queue")]
    of: SeriesKind,

    /// Only ports of this node (can be repeated)
    #[arg(long)]
    node: Vec<u64>,

    /// Only ports with this number (can be repeated)
    #[arg(long)]
    port: Vec<u64>,

    /// Only this flow (can be repeated)
    #[arg(long)]
    flow: Vec<u64>,

    /// Series drawn at most: those with the largest sum of values
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=100))]
    most: u16,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeriesKind {
    /// Queue of a switch port
    Queue,
    /// Utilization of a link
    Utilization,
    /// Rate that its algorithm allows a flow
    Rate,
    /// Window of a flow
    Window,
    /// Acknowledged bytes of a flow
    Throughput,
}

/// Quantities of runs over time.
pub(super) fn series(args: &SeriesArgs) -> Result<Figure, Error> {
    let quantity = match args.of {
        SeriesKind::Queue => Quantity::Queue,
        SeriesKind::Utilization => Quantity::Utilization,
        SeriesKind::Rate => Quantity::Rate,
        SeriesKind::Window => Quantity::Window,
        SeriesKind::Throughput => Quantity::Throughput,
    };
    let of_ports = !args.node.is_empty() || !args.port.is_empty();
    let refuse = |message, help| Err(refused(&args.drawing, message, help));
    if quantity.is_of_flows() && of_ports {
        return refuse(
            "these are series of flows, and --node and --port choose series of ports",
            "choose them with --flow",
        );
    }
    if !quantity.is_of_flows() && !args.flow.is_empty() {
        return refuse(
            "these are series of ports, and --flow chooses series of flows",
            "choose them with --node and --port",
        );
    }
    let selection = Selection {
        nodes: args.node.clone(),
        ports: args.port.clone(),
        flows: args.flow.clone(),
    };
    let mut lines = Vec::new();
    let places = args.drawing.places()?;
    let count = places.len();
    for (place, name) in places {
        let path = &place.path;
        refuse_mixture(path)?;
        let file = match path.is_dir() {
            true => path.join(quantity.file()),
            false => path.clone(),
        };
        if path.is_dir() && !file.exists() {
            let file = quantity.file();
            return refuse(
                &format!("there is no {file}"),
                "let the scenario ask for it in [observe], see docs/scenarios.md",
            );
        }
        let text = read_text(FileKind::RESULTS, &file)?;
        let read = read_time_lines(&text, quantity, &selection);
        let read = read.map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
        for mut line in read {
            if count > 1 {
                line.name = format!("{name}: {}", line.name);
            }
            lines.push(line);
        }
    }
    let title = args.drawing.title(&capitalized(&quantity.to_string()));
    Ok(time_figure(&title, quantity, lines, usize::from(args.most)))
}
