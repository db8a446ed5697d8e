import ArgumentParser
import Foundation

/// The options that choose the classes from which a model is made.
struct ClassModelArguments: ParsableArguments {
    @Option(help: "The library product that contains the classes.")
    var product: String?

    @Option(
        help: "The folder of the package, instead of the current one.", completion: .directory,
        transform: PathArgument.init(argument:))
    var package: PathArgument?

    @Option(
        name: .customLong("class"), parsing: .unconditionalSingleValue,
        help: "A class of the model, instead of all classes in the sources. May be repeated.")
    var classes: [String] = []

    @Option(
        help: "The folder to build in, instead of .build/cairn-model in the package.",
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
