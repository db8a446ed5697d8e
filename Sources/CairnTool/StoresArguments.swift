import ArgumentParser
import Cairn
import CairnSaveJournal

/// The arguments that say where a command finds its stores and their model.
struct StoresArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The store. Several are shown as one graph, by their number from 1.",
            valueName: "store"),
        completion: .file(), transform: PathArgument.init(argument:))
    var stores: [PathArgument]

    @Option(
        parsing: .unconditional,
        help: "A model to use instead of the one inside the store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var model: PathArgument?
}
