import CairnModel
import CairnModelArchive
import Foundation

/// Reads single files of models.
enum ModelFile {
    /// - Throws: `.unreadable`.
    static func bytes(_ url: URL) throws(ModelError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: url))
        } catch {
            throw .unreadable(
                file: url, location: "its beginning", detail: error.localizedDescription)
        }
    }

    /// The names of what is in a folder, sorted.
    ///
    /// - Throws: `.unreadable`.
    static func names(in folder: URL) throws(ModelError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            throw .unreadable(
                file: folder, location: "the folder", detail: error.localizedDescription)
        }
    }

    /// The dictionary in a property list of any form; nil where the file is not there.
    ///
    /// - Throws: `.unreadable`.
    static func dictionary(_ url: URL) throws(ModelError) -> [String: Any]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let data = Data(try bytes(url))
        guard
            let list = try? PropertyListSerialization.propertyList(
                from: data, options: [], format: nil),
            let dictionary = list as? [String: Any]
        else {
            throw .unreadable(
                file: url, location: "its root", detail: "it is not a property list dictionary")
        }
        return dictionary
    }

    /// Reads a `contents` file.
    ///
    /// - Throws: `.unreadable`.
    static func source(_ url: URL) throws(ModelError) -> ModelDescription {
        let bytes = try bytes(url)
        do throws(XMLFailure) {
            return try SourceModelReader.description(of: bytes)
        } catch {
            throw .unreadable(file: url, location: "line \(error.line)", detail: error.detail)
        }
    }

    /// Reads a `.mom` file.
    ///
    /// - Throws: `.unreadable`.
    static func compiled(_ url: URL) throws(ModelError) -> ModelDescription {
        let bytes = try bytes(url)
        do throws(ModelArchiveError) {
            return try ModelArchive.decode(bytes)
        } catch {
            throw .unreadable(file: url, location: error.location, detail: error.detail)
        }
    }

    /// Reads an `elements` file.
    ///
    /// - Throws: `.unreadable`.
    static func elements(_ url: URL) throws(ModelError) -> ModelDescription {
        let bytes = try bytes(url)
        do throws(ModelArchiveError) {
            return try ElementsModelReader.description(of: bytes)
        } catch {
            throw .unreadable(file: url, location: error.location, detail: error.detail)
        }
    }

    /// The error for a form that is recognised and not read.
    static func unsupportedOptimised(_ url: URL) -> ModelError {
        .unsupportedForm(
            file: url, form: "“.omo”, an optimised copy",
            advice: "Give the .mom beside it, which holds the same model.")
    }
}
