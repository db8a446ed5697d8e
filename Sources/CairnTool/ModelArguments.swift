import ArgumentParser
import Cairn

/// The arguments that choose a model.
struct ModelArguments: ParsableArguments {
    @Argument(
        help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that contains its model.",
        completion: .file(), transform: PathArgument.init(argument:))
    var path: PathArgument

    @Option(parsing: .unconditional, help: "A version by name, instead of the current one.")
    var version: String?

    /// Reads the requested version of the model.
    ///
    /// - Throws: The same errors as ``ToolModel``.
    func model() throws -> ManagedObjectModel { try ToolModel(path).version(version) }
}
