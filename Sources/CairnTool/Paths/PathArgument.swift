import ArgumentParser
import CairnStore
import Foundation

/// A path argument of a command. Where a command takes a store, it can be the URL of a service instead.
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

    /// The path as text for display. A URL is shown without its password.
    var shown: String { service?.description ?? ArgumentBytes.shown(argument) }

    /// The address, if the argument is the URL of a service.
    private var service: ServiceLocation? {
        argument.contains("://") ? URL(string: argument).flatMap(ServiceLocation.init) : nil
    }

    /// Returns the location of an existing store.
    ///
    /// - Throws: ``ToolFailure`` if the path is not UTF-8 and leads nowhere.
    func location() throws(ToolFailure) -> StoreLocation {
        if let service { return .service(service) }
        return .file(try url())
    }

    /// Returns the location of a store to create.
    ///
    /// - Throws: the errors of ``urlOfNewFile()``.
    func locationOfNewStore() throws(ToolFailure) -> StoreLocation {
        if let service { return .service(service) }
        return .file(try urlOfNewFile())
    }

    /// Returns the URL of an existing file or folder.
    ///
    /// - Throws: ``ToolFailure`` if the path is not UTF-8 and leads nowhere, or is the URL of a service.
    func url() throws(ToolFailure) -> URL { try url(ofNew: false) }

    /// Returns the URL of a file or folder to create.
    ///
    /// - Throws: ``ToolFailure`` if the name is not UTF-8, if the folder's path is not UTF-8 and does not
    ///   exist, or if it is the URL of a service.
    func urlOfNewFile() throws(ToolFailure) -> URL { try url(ofNew: true) }

    private func url(ofNew isNew: Bool) throws(ToolFailure) -> URL {
        if service != nil {
            throw ToolFailure("\(shown) is a store of a service. A file is needed here.")
        }
        let bytes = ArgumentBytes.bytes(of: argument)
        if String(validating: bytes, as: UTF8.self) != nil {
            return URL(fileURLWithPath: argument)
        }
        return try PathAlias.url(of: bytes, shown: shown, isNew: isNew)
    }
}
