import CoreData
import Foundation

/// The location of the examples' model.
public enum Models {
    /// The bundle that contains the model.
    public static var bundle: Bundle { .module }
    /// The folder in which to search for models by name.
    public static var folder: URL { bundle.resourceURL ?? bundle.bundleURL }
    /// The URL of `Notebook.xcdatamodeld`, a model of notebooks with notes.
    public static var notebook: URL { folder.appending(path: "Notebook.xcdatamodeld") }

    /// Compiles the model into the main bundle, as Xcode does when it builds a program.
    ///
    /// - Parameter name: The name of the compiled model.
    /// - Returns: The URL of the `.momd`.
    public static func compile(as name: String) throws -> URL {
        let folder = Bundle.main.resourceURL ?? Bundle.main.bundleURL
        let compiled = folder.appending(path: "\(name).momd")
        let model = try ManagedObjectModel(ModelReader.description(at: notebook))
        try ModelWriter.writeCompiled([name: model], current: name, to: compiled)
        return compiled
    }
}
