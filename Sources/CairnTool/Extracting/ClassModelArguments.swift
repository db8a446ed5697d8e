import ArgumentParser
import Foundation

/// The arguments that say from which classes of a program a model is created.
struct ClassModelArguments: ParsableArguments {
    @Option(help: "A library product with the classes.")
    var product: String?

    @Option(
        help: "The folder of the package, instead of the current one.", completion: .directory,
        transform: PathArgument.init(argument:))
    var package: PathArgument?

    @Option(
        name: .customLong("class"), parsing: .unconditionalSingleValue,
        help: "A class of the model, instead of all that the sources have. May be repeated.")
    var classes: [String] = []

    @Option(
        help: "Where to build, instead of .build/cairn-model in the package.",
        completion: .directory, transform: PathArgument.init(argument:))
    var scratchPath: PathArgument?

    /// - Throws: `ValidationError` if no product is named.
    func model() throws -> ClassModel {
        guard let product else { throw ValidationError("Name a library with --product.") }
        let folder = try package?.url() ?? URL(fileURLWithPath: ".")
        let scratch =
            try scratchPath?.urlOfNewFile() ?? folder.appendingPathComponent(".build/cairn-model")
        return ClassModel(
            product: product, package: folder.standardizedFileURL, classNames: classes,
            scratch: scratch.standardizedFileURL)
    }
}
