import ArgumentParser
import Cairn
import Foundation

/// The `cairn model convert` command, which writes a model in another form.
struct ModelConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a model in another form: .xcdatamodeld, .xcdatamodel, .momd or .mom.",
        discussion: """
            A .xcdatamodeld and a .momd contain all versions. The other forms contain only the current \
            version. The extension of the destination determines the form. An existing file or folder \
            is never overwritten.
            Example, for the model inside a store: cairn model convert Trails.sqlite Trails.xcdatamodeld
            """)

    @Argument(
        help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that contains its model.",
        completion: .file(), transform: PathArgument.init(argument:))
    var source: PathArgument

    @Argument(
        help: "The file or folder to create.", completion: .file(),
        transform: PathArgument.init(argument:))
    var destination: PathArgument

    func run() throws {
        try Self.convert(source, to: destination, allowing: ModelForm.allCases)
    }

    /// Writes the model in the form that the destination's extension names.
    ///
    /// - Throws: `ModelError`; `ValidationError` if the extension does not name one of the forms.
    static func convert(
        _ source: PathArgument, to destination: PathArgument, allowing forms: [ModelForm]
    ) throws {
        let url = try destination.urlOfNewFile()
        guard let form = ModelForm(of: url), forms.contains(form) else {
            throw ValidationError(
                "The name of the destination must end in "
                    + forms.map { ".\($0.rawValue)" }.joined(separator: ", ")
                    + ", which determines its form.")
        }
        let model = try ToolModel(source).versions
        try ModelCreator.create(model, as: form, at: url)
        let count = form.isVersioned ? model.versions.count : 1
        try Output.line(
            "wrote \(count) version\(count == 1 ? "" : "s") to \(destination.shown)")
    }
}
