import ArgumentParser
import Cairn
import CairnModelCode
import Foundation

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

/// The options for generated classes.
struct ModelCodeArguments: ParsableArguments {
    @Option(help: "The access level of the classes: internal, package or public.")
    var access = ModelCode.Access.internal

    @Option(
        help: "The name from which the name of the list of classes is made, instead of the model's."
    )
    var name: String?

    /// Returns the generator of the model's classes.
    ///
    /// - Throws: The same errors as ``ToolModel``.
    func code(of arguments: ModelArguments) throws -> ModelCode {
        let fileName = URL(fileURLWithPath: arguments.path.shown).deletingPathExtension()
        return ModelCode(
            try arguments.model(), name: name ?? fileName.lastPathComponent, access: access)
    }
}

extension ModelCode.Access: ExpressibleByArgument {}
