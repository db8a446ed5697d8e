import ArgumentParser
import Cairn
import CairnModelCode
import Foundation

/// The arguments that say how classes are generated.
struct ModelCodeArguments: ParsableArguments {
    @Option(help: "Where the classes can be used: internal, package or public.")
    var access = ModelCode.Access.internal

    @Option(help: "What the list of classes is called after, instead of the model's file.")
    var name: String?

    /// Returns the code of the model's classes.
    ///
    /// - Throws: the errors of ``ToolModel``.
    func code(of arguments: ModelArguments) throws -> ModelCode {
        let fileName = URL(fileURLWithPath: arguments.path.shown).deletingPathExtension()
        return ModelCode(
            try arguments.model(), name: name ?? fileName.lastPathComponent, access: access)
    }
}

extension ModelCode.Access: ExpressibleByArgument {}
