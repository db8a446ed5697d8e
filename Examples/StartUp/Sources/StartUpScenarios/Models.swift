import Foundation

/// Where the examples' model is.
public enum Models {
    /// The bundle that holds it.
    public static var bundle: Bundle { .module }
    /// The folder to search for models by name.
    public static var folder: URL { bundle.resourceURL ?? bundle.bundleURL }
    /// `Notebook.xcdatamodeld`: notebooks with notes.
    public static var notebook: URL { folder.appending(path: "Notebook.xcdatamodeld") }
}
