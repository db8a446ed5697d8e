import ArgumentParser
import Cairn

/// The arguments that say where a command finds its store and its model.
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
