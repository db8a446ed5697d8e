import Cairn
import CairnStore
import Foundation

extension PathArgument {
    /// Returns the engine of the store at the path, which is recognized by the file's content or by the URL's scheme.
    ///
    /// - Throws: ``ToolFailure`` that describes what is at the path instead and what to do; `StoreError`.
    func engine(at location: StoreLocation) throws -> any PersistentStore.Type {
        let registry = StoreRegistry.builtIn
        do {
            return try registry.engine(ofType: registry.type(ofStoreAt: location))
        } catch {
            switch error {
            case .notFound: throw nothingThere
            case .unsupported where location.service != nil:
                throw ToolFailure(
                    "This program has no engine for \(shown). Built with CAIRN_POSTGRESQL=1, it has one for"
                        + " postgresql://HOST/DATABASE/SCHEMA.")
            case .unrecognized(_, let found, let known):
                throw notAStore(found, types: known.map(\.rawValue).sorted())
            default: throw error
            }
        }
    }

    /// Reads the model at the path.
    ///
    /// - Throws: ``ToolFailure`` that describes what is at the path instead and what to do; `ModelError`.
    func versionedModel(at url: URL) throws -> VersionedModel {
        guard FileManager.default.fileExists(atPath: url.path) else { throw nothingThere }
        do {
            return try VersionedModel(contentsOf: url)
        } catch {
            // Errors with any other reason, such as the file's size, explain the problem well enough.
            guard
                case .unreadable(_, _, "the file is not a Core Data model of any known form") =
                    error
            else {
                throw error
            }
            let wanted =
                "a model (.xcdatamodeld, .xcdatamodel, .momd or .mom) or a store that contains one"
            throw folderFailure(url, wanted, "models", isWanted: \.isModel)
                ?? ToolFailure("\(shown) is not \(wanted). Check the path.")
        }
    }

    private var nothingThere: ToolFailure {
        ToolFailure("There is no file or folder \(shown). Check the path.")
    }

    private func notAStore(_ found: String, types: [String]) -> ToolFailure {
        guard let url = try? url() else { return nothingThere }
        if (try? VersionedModel(contentsOf: url)) != nil {
            return ToolFailure(
                "\(shown) is a model, not a store. “cairn model info” shows it, and “cairn store new”"
                    + " creates a store for it.")
        }
        return folderFailure(url, "a store", "stores", isWanted: \.isStore)
            ?? ToolFailure(
                "\(shown) is not a store of any known type (\(types.joined(separator: ", "))): it looks"
                    + " like \(found). Check the path.")
    }

    /// Returns a failure that says that the path leads to a folder, and lists files in the folder that the
    /// user may have meant. Returns `nil` if the path does not lead to a folder.
    private func folderFailure(
        _ url: URL, _ wanted: String, _ things: String, isWanted: (URL) -> Bool
    ) -> ToolFailure? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
            isFolder.boolValue
        else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        // Limit the number of files, because each of them is opened.
        let found = names.sorted().prefix(1000)
            .filter { isWanted(url.appendingPathComponent($0)) }.prefix(3)
        return ToolFailure(
            "\(shown) is a folder, not \(wanted)."
                + (found.isEmpty
                    ? " It contains no \(things) either. Check the path."
                    : " It contains \(things): \(VisibleText.line(found.joined(separator: ", ")))."
                        + " Pass the path of one of them.")
        )
    }
}

extension URL {
    fileprivate var isStore: Bool {
        StoreRegistry.builtIn.engine(recognizing: .file(self)) != nil
    }

    fileprivate var isModel: Bool {
        ModelForm(of: self) != nil
    }
}
