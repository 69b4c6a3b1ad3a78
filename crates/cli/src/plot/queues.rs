//! Distributions of queue lengths over time.

use fabricsim::Error;
use fabricsim_plot::figure::{Figure, Series, Style, group_curve, group_figure};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

use super::{Drawing, file_of, refused};

#[derive(Debug, clap::Args)]
pub(super) struct QueuesArgs {
    #[command(flatten)]
    pub(super) drawing: Drawing,

    /// Group of ports: all, a tier such as "ToR to host", or a group of the scenario (can be
    /// repeated)
    #[arg(long, default_value = "all")]
    group: Vec<String>,
}

/// Draws the distributions of the groups that `args` names.
pub(super) fn queues(args: &QueuesArgs) -> Result<Figure, Error> {
    const FILE: &str = "queue_groups.csv";
    let drawing = &args.drawing;
    let places = drawing.places()?;
    let mut curves = Vec::new();
    for (place, name) in &places {
        let help = "set queue_distribution = true in [observe] of the scenario";
        let file = file_of(drawing, place, FILE, help)?;
        let text = read_text(FileKind::RESULTS, &file)?;
        for group in &args.group {
            let curve = group_curve(&text, group)
                .map_err(|error| Error::input(&file.display().to_string(), &text, error))?;
            if curve.is_empty() {
                return Err(refused(
                    drawing,
                    &format!("{} has no group `{group}`", file.display()),
                    "name a group of its first column",
                ));
            }
            let label = match (places.len(), args.group.len()) {
                (1, _) => group.clone(),
                (_, 1) => name.clone(),
                _ => format!("{name}: {group}"),
            };
            curves.push((label, curve));
        }
    }
    let labels: Vec<String> = curves.iter().map(|(label, _)| label.clone()).collect();
    let series = curves.into_iter().zip(Style::of_names(&labels));
    let series = series.map(|((label, curve), style)| Series::curve(label, style, curve));
    let title = drawing.title("Queue lengths, weighted by time");
    Ok(group_figure(&title, series.collect()))
}
