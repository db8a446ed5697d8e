import ArgumentParser
import Foundation

/// A path that the user passed.
struct PathArgument {
    private let argument: String

    /// Creates a path from an argument in the form that ``ArgumentBytes`` returns.
    ///
    /// - Throws: `ValidationError` for an empty argument, which would mean the current folder.
    init(argument: String) throws {
        guard !argument.isEmpty else {
            throw ValidationError("A path cannot be empty. For the current folder, write “.”.")
        }
        self.argument = argument
    }

    /// The path for display.
    var shown: String { ArgumentBytes.shown(argument) }

    /// Returns the URL of an existing file or folder.
    ///
    /// - Throws: ``ToolFailure`` if the path is not UTF-8 and does not exist.
    func url() throws(ToolFailure) -> URL { try url(ofNew: false) }

    /// Returns the URL of a file or folder to create.
    ///
    /// - Throws: ``ToolFailure`` if the name is not UTF-8, or if the path of the folder is not UTF-8 and the
    ///   folder does not exist.
    func urlOfNewFile() throws(ToolFailure) -> URL { try url(ofNew: true) }

    private func url(ofNew isNew: Bool) throws(ToolFailure) -> URL {
        let bytes = ArgumentBytes.bytes(of: argument)
        if String(validating: bytes, as: UTF8.self) != nil {
            return URL(fileURLWithPath: argument)
        }
        return try PathAlias.url(of: bytes, shown: shown, isNew: isNew)
    }
}
