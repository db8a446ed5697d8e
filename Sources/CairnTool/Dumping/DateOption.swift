import ArgumentParser
import Cairn

/// The option that chooses how dates are printed.
struct DateOption: ParsableArguments {
    /// A format for dates.
    enum Form: String, ExpressibleByArgument, CaseIterable, Sendable { case iso8601, raw }

    @Option(
        name: .customLong("dates"),
        help: ArgumentHelp(
            "How dates are printed: as ISO 8601 text, or as the stored number of seconds since"
                + " 2001-01-01 00:00 UTC. Both preserve the stored value exactly."))
    var form = Form.iso8601
}
