import ArgumentParser
import Cairn

/// The arguments that say on which model a command works.
struct ModelArguments: ParsableArguments {
    @Argument(
        help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that contains its model.",
        completion: .file(), transform: PathArgument.init(argument:))
    var path: PathArgument

    @Option(parsing: .unconditional, help: "A version by name, instead of the current one.")
    var version: String?

    /// Reads the model, and returns the requested version.
    ///
    /// - Throws: the errors of ``ToolModel``.
    func model() throws -> ManagedObjectModel { try ToolModel(path).version(version) }
}
