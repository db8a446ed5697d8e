import ArgumentParser
import Cairn

/// Which model a command is about.
struct ModelArguments: ParsableArguments {
    @Argument(
        help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that contains its model.",
        completion: .file(), transform: PathArgument.init(argument:))
    var path: PathArgument

    @Option(parsing: .unconditional, help: "A version by name, instead of the current one.")
    var version: String?

    /// Reads the version that is wanted.
    ///
    /// - Throws: as ``ToolModel``.
    func model() throws -> ManagedObjectModel { try ToolModel(path).version(version) }
}
