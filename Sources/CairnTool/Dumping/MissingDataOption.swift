import ArgumentParser
import Cairn

/// The option that lets a command succeed although files of external values are missing.
struct MissingDataOption: ParsableArguments {
    @Flag(
        name: .customLong("allow-missing-external-data"),
        help: "Take large values whose files are missing as nil, and succeed.")
    var isAllowed = false
}
