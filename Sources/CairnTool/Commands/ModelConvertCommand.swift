import ArgumentParser
import Cairn
import Foundation

/// `cairn model convert`: converts a model from any form to another.
struct ModelConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a model in another form: .xcdatamodeld, .xcdatamodel, .momd or .mom.",
        discussion: """
            Folders of versions keep all versions, and the other forms hold the current one. The \
            extension of the destination says the form. Nothing is written over what is there.
            Example, for the model inside a store: cairn model convert Trails.sqlite Trails.xcdatamodeld
            """)

    @Argument(
        help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that contains its model.",
        completion: .file(), transform: PathArgument.init(argument:))
    var source: PathArgument

    @Argument(
        help: "The file or folder to make.", completion: .file(),
        transform: PathArgument.init(argument:))
    var destination: PathArgument

    func run() throws {
        try Self.convert(source, to: destination, allowing: ModelForm.allCases)
    }

    /// Writes the model in the form that the destination's extension determines.
    ///
    /// - Throws: `ModelError`; `ValidationError` if the extension does not belong to any form.
    static func convert(
        _ source: PathArgument, to destination: PathArgument, allowing forms: [ModelForm]
    ) throws {
        let url = try destination.urlOfNewFile()
        guard let form = ModelForm(of: url), forms.contains(form) else {
            throw ValidationError(
                "The name of the destination must end in "
                    + forms.map { ".\($0.rawValue)" }.joined(separator: ", ")
                    + ", which says its form.")
        }
        let model = try ToolModel(source).versions
        try ModelCreator.create(model, as: form, at: url)
        let count = form.isVersioned ? model.versions.count : 1
        try Output.line(
            "wrote \(count) version\(count == 1 ? "" : "s") to \(destination.shown)")
    }
}
