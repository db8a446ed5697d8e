import ArgumentParser
import Foundation

/// A path argument of a command.
struct PathArgument {
    private let argument: String

    /// Creates a path from an argument of ``ArgumentBytes``.
    ///
    /// - Throws: `ValidationError` if the argument is empty, because an empty path would mean the current
    ///   folder.
    init(argument: String) throws {
        guard !argument.isEmpty else {
            throw ValidationError("A path cannot be empty. For the current folder, write “.”.")
        }
        self.argument = argument
    }

    /// The path as text for display.
    var shown: String { ArgumentBytes.shown(argument) }

    /// Returns the URL of an existing file or folder.
    ///
    /// - Throws: ``ToolFailure`` if the path is not UTF-8 and leads nowhere.
    func url() throws(ToolFailure) -> URL { try url(ofNew: false) }

    /// Returns the URL of a file or folder to create.
    ///
    /// - Throws: ``ToolFailure`` if the name is not UTF-8, or if the folder's path is not UTF-8 and does not
    ///   exist.
    func urlOfNewFile() throws(ToolFailure) -> URL { try url(ofNew: true) }

    private func url(ofNew isNew: Bool) throws(ToolFailure) -> URL {
        let bytes = ArgumentBytes.bytes(of: argument)
        if String(validating: bytes, as: UTF8.self) != nil {
            return URL(fileURLWithPath: argument)
        }
        return try PathAlias.url(of: bytes, shown: shown, isNew: isNew)
    }
}
