import ArgumentParser
import Foundation

/// A path that the user gave.
struct PathArgument {
    private let argument: String

    /// Takes an argument as ``ArgumentBytes`` gives it.
    ///
    /// - Throws: `ValidationError` for an empty one, which would mean the current folder.
    init(argument: String) throws {
        guard !argument.isEmpty else {
            throw ValidationError("A path cannot be empty. For the current folder, write “.”.")
        }
        self.argument = argument
    }

    /// The path for a person.
    var shown: String { ArgumentBytes.shown(argument) }

    /// Returns the path of something to read.
    ///
    /// - Throws: ``ToolFailure`` if a path that is not UTF-8 leads nowhere.
    func url() throws(ToolFailure) -> URL { try url(ofNew: false) }

    /// Returns the path of something to make.
    ///
    /// - Throws: ``ToolFailure`` if the name is not UTF-8, or if the folder is not there and is not UTF-8.
    func urlOfNewFile() throws(ToolFailure) -> URL { try url(ofNew: true) }

    private func url(ofNew isNew: Bool) throws(ToolFailure) -> URL {
        let bytes = ArgumentBytes.bytes(of: argument)
        if String(validating: bytes, as: UTF8.self) != nil {
            return URL(fileURLWithPath: argument)
        }
        return try PathAlias.url(of: bytes, shown: shown, isNew: isNew)
    }
}
