import ArgumentParser
import Cairn

/// The option that accepts values whose files are missing.
struct MissingDataOption: ParsableArguments {
    @Flag(
        name: .customLong("allow-missing-external-data"),
        help: "Treat large values whose files are missing as nil, instead of failing.")
    var isAllowed = false
}
