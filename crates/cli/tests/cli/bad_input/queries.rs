//! Errors in `[pint]` and `[[query]]`.

use super::Case;

const fn case(
    name: &'static str,
    scenario: &'static str,
    place: &'static str,
    says: &'static [&'static str],
    help: &'static str,
) -> Case {
    Case {
        name,
        files: &[],
        scenario,
        args: &[],
        place,
        says,
        help,
    }
}

pub(super) const CASES: &[Case] = &[
    case(
        "a budget without queries",
        good_and!("[pint]\nbits = 8"),
        "t.toml:11:1",
        &["[pint] is for queries, and the scenario has none"],
        "add `[[query]]` with `value = \"switch-id\"`",
    ),
    case(
        "a query without a value",
        good_and!("[[query]]\nbits = 8"),
        "t.toml:11",
        &["`value`"],
        "value",
    ),
    case(
        "an unknown value",
        good_and!("[[query]]\nvalue = \"hop-latancy\""),
        "t.toml:12:9",
        &["hop-latancy"],
        "did you mean `hop-latency`?",
    ),
    case(
        "a digest of no bits",
        good_and!("[[query]]\nvalue = \"hop-latency\"\nbits = 0"),
        "t.toml:13:8",
        &[
            "[[query]] 0, key `bits`",
            "a digest of 0 bits is not of 1 to 16",
        ],
        "give the bits of one digest, such as 8",
    ),
    case(
        "more often than every packet",
        good_and!("[[query]]\nvalue = \"switch-id\"\nfrequency = 1.5"),
        "t.toml:13:13",
        &["a frequency of 1.5 is not between 0.0001 and 1"],
        "such as 0.0625 for one in 16",
    ),
    case(
        "never",
        good_and!("[[query]]\nvalue = \"switch-id\"\nfrequency = 0"),
        "t.toml:13:13",
        &["a frequency of 0 is not between 0.0001 and 1"],
        "such as 0.0625 for one in 16",
    ),
    case(
        "one query larger than the budget",
        good_and!("[pint]\nbits = 4\n[[query]]\nvalue = \"switch-id\""),
        "t.toml:12:8",
        &["query 1 needs 8 bits, and a packet has 4 for all queries"],
        "give it 1 to 4 bits, or packets more",
    ),
    case(
        "queries that do not fit together",
        good_and!(
            "[[query]]\nvalue = \"switch-id\"\n[[query]]\nvalue = \"hop-latency\"\n[[query]]\nvalue = \"queue-length\""
        ),
        "t.toml:11",
        &["the queries need 24.00 bits of a packet on average, and the budget is 16"],
        "multiply each frequency by 0.667",
    ),
    case(
        "a quantile of names",
        good_and!("[[query]]\nvalue = \"switch-id\"\naggregation = \"dynamic\""),
        "t.toml:13:15",
        &["`switch-id` is a name, which has no quantiles"],
        "use \"static\", or a value that is a number",
    ),
    case(
        "a path of latencies",
        good_and!("[[query]]\nvalue = \"hop-latency\"\naggregation = \"static\""),
        "t.toml:13:15",
        &["`hop-latency` differs from packet to packet"],
        "use \"dynamic\" for quantiles of each hop",
    ),
    case(
        "a sketch of paths",
        good_and!("[[query]]\nvalue = \"switch-id\"\nkeep = \"sketch\""),
        "t.toml:13:8",
        &["it is for numeric queries, and this one is not"],
        "leave the key out",
    ),
    case(
        "space without a limit",
        good_and!("[[query]]\nvalue = \"hop-latency\"\nspace = 50"),
        "t.toml:13:9",
        &["if all digests are kept, there is no budget for them"],
        "set `keep` to \"sketch\"",
    ),
    case(
        "two queries of one name",
        good_and!(
            "[[query]]\nname = \"a\"\nvalue = \"switch-id\"\n[[query]]\nname = \"a\"\nvalue = \"hop-latency\""
        ),
        "t.toml:15:8",
        &["two queries have the name `a`"],
        "give each a name of its own",
    ),
    case(
        "a name that is no file's",
        good_and!("[[query]]\nname = \"a/b\"\nvalue = \"switch-id\""),
        "t.toml:12:8",
        &["`a/b` cannot be part of a file name"],
        "use letters, digits",
    ),
    case(
        "a quantile above all values",
        good_and!("[[query]]\nvalue = \"hop-latency\"\nquantiles = [0.5, 99]"),
        "t.toml:13:13",
        &["a quantile of 99 is not between 0.000001 and 1"],
        "such as 0.5 for the median",
    ),
    case(
        "an algorithm that reads no query",
        star!(
            "",
            "kind = \"incast\"\nfan_in = 3\nsize = \"10KB\"\nat = \"0s\"",
            "kind = \"hpcc-pint\"\n[[query]]\nvalue = \"switch-id\""
        ),
        "t.toml:12",
        &["hpcc-pint reads a digest, which must be one of the queries if there are any"],
        "`value = \"egress-utilization\"` and `aggregation = \"max\"`",
    ),
    case(
        "an algorithm with other codes",
        star!(
            "",
            "kind = \"incast\"\nfan_in = 3\nsize = \"10KB\"\nat = \"0s\"",
            "kind = \"hpcc-pint\"\n[[query]]\nvalue = \"egress-utilization\"\naggregation = \"max\"\nbits = 4"
        ),
        "t.toml:15:8",
        &["the algorithm reads codes of 8 bits, and the query's have 4"],
        "give 8 bits, or set `digest_bits` in [cc] to 4",
    ),
    case(
        "two shares of digests",
        star!(
            "",
            "kind = \"incast\"\nfan_in = 3\nsize = \"10KB\"\nat = \"0s\"",
            "kind = \"hpcc-pint\"\ndigest_fraction = 0.5\n[[query]]\nvalue = \"egress-utilization\"\naggregation = \"max\""
        ),
        "t.toml:13",
        &["beside queries the plan says which packets carry the algorithm's digest"],
        "set `frequency` in the query that the algorithm reads",
    ),
    case(
        "a frequency that no solver tells from nothing",
        good_and!("[[query]]\nvalue = \"switch-id\"\nfrequency = 1e-300"),
        "t.toml:13:13",
        &["is not between 0.0001 and 1"],
        "such as 0.0625 for one in 16",
    ),
    case(
        "paths of many senders",
        good_and!("[[query]]\nvalue = \"switch-id\"\nflow = \"destination\""),
        "t.toml:13:8",
        &["packets from many hosts to one take many paths"],
        "leave the key out",
    ),
    case(
        "quantiles of counters",
        good_and!("[[query]]\nvalue = \"hop-latency\"\nkeep = \"frequent\"\nquantiles = [0.5]"),
        "t.toml:14:13",
        &["counters of frequent values do not count smaller"],
        "use another `keep`",
    ),
    case(
        "a quantile twice",
        good_and!("[[query]]\nvalue = \"hop-latency\"\nquantiles = [1.0, 1.0]"),
        "t.toml:13:13",
        &["1 is there twice"],
        "name each share once",
    ),
    case(
        "a counter of one bit in a large budget",
        good_and!(
            "[pint]\nbits = 64\n[[query]]\nvalue = \"hop-latency\"\naggregation = \"sum\"\nbits = 1"
        ),
        "t.toml:16:8",
        &["bit"],
        "give",
    ),
    case(
        "more queries than a plan has room for",
        concat!(
            good_and!(""),
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n[[query]]\nvalue = \"hop-latency\"\nbits = 1\n",
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n[[query]]\nvalue = \"hop-latency\"\nbits = 1\n",
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n[[query]]\nvalue = \"hop-latency\"\nbits = 1\n",
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n[[query]]\nvalue = \"hop-latency\"\nbits = 1\n",
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n[[query]]\nvalue = \"hop-latency\"\nbits = 1\n",
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n[[query]]\nvalue = \"hop-latency\"\nbits = 1\n",
            "[[query]]\nvalue = \"hop-latency\"\nbits = 1\n"
        ),
        "t.toml:1",
        &["13 queries are not 1 to 12"],
        "run the other queries in another simulation",
    ),
];
