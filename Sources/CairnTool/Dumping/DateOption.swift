import ArgumentParser
import Cairn

/// The option for the format in which dates are printed.
struct DateOption: ParsableArguments {
    /// A format for dates.
    enum Form: String, ExpressibleByArgument, CaseIterable, Sendable { case iso8601, raw }

    @Option(
        name: .customLong("dates"),
        help: ArgumentHelp(
            "How dates are printed: as ISO 8601 text, or as the stored number of seconds since"
                + " 2001-01-01 00:00 UTC. Both keep the stored value to the last bit."))
    var form = Form.iso8601
}
