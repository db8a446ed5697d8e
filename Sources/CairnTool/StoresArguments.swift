import ArgumentParser
import Cairn
import CairnSaveJournal

/// The arguments that choose several stores and their model.
struct StoresArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The store. Several stores are shown as one graph, each with its number, from 1.",
            valueName: "store"),
        completion: .file(), transform: PathArgument.init(argument:))
    var stores: [PathArgument]

    @Option(
        parsing: .unconditional,
        help: "A model to use instead of the one inside the store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var model: PathArgument?
}

/// The arguments that choose a store and its model.
struct StoreArguments: ParsableArguments {
    @Argument(
        help: "The store.", completion: .file(), transform: PathArgument.init(argument:))
    var store: PathArgument

    @Option(
        parsing: .unconditional,
        help: "A model to use instead of the one inside the store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var model: PathArgument?
}
