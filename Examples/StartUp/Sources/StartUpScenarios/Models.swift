import Foundation

/// The location of the examples' model.
public enum Models {
    /// The bundle that contains the model.
    public static var bundle: Bundle { .module }
    /// The folder in which to search for models by name.
    public static var folder: URL { bundle.resourceURL ?? bundle.bundleURL }
    /// The URL of `Notebook.xcdatamodeld`, a model of notebooks with notes.
    public static var notebook: URL { folder.appending(path: "Notebook.xcdatamodeld") }
}
