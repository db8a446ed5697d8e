import CairnModel
import Foundation

extension ObjectID: CustomStringConvertible {
    /// The ID as text, in Core Data's form.
    ///
    /// Permanent: `x-coredata://<store identifier>/<Entity>/p<key>`. Temporary:
    /// `x-coredata:///<Entity>/t<space>-<key>`, which means nothing in another process.
    public var description: String {
        let entry = StoreDirectory.shared.entry(for: store)
        let name = entry?.name(of: entity) ?? "\(entity.rawValue)"
        return isTemporary
            ? "x-coredata:///\(name)/t\(store.rawValue & 0x7fff_ffff)-\(key)"
            : "x-coredata://\(entry?.identifier ?? "")/\(name)/p\(key)"
    }

    /// The ID as a URL; see ``description``.
    public var uriRepresentation: URL {
        var components = URLComponents()
        components.scheme = "x-coredata"
        let parts = description.dropFirst("x-coredata://".count)
            .split(separator: "/", omittingEmptySubsequences: false)
        components.host = parts.first.map(String.init)
        components.path = "/" + parts.dropFirst().joined(separator: "/")
        // Every name is percent-encoded by the components, so there always is a URL.
        return components.url ?? URL(fileURLWithPath: description)
    }
}

/// The parts of an object ID's URI.
public struct ObjectURI: Sendable, Hashable {
    /// Identifier of the store; empty for a temporary ID.
    public let storeIdentifier: String
    public let entityName: String
    /// The key; nil for a temporary ID.
    public let key: Int64?

    /// Reads a URI; nil where it has not the form of ``ObjectID/uriRepresentation``.
    public init?(_ url: URL) {
        guard url.scheme == "x-coredata" else { return nil }
        let parts = url.path.split(separator: "/")
        guard parts.count == 2, let kind = parts[1].first else { return nil }
        storeIdentifier = (url.host ?? "").uppercased()
        entityName = String(parts[0])
        switch kind {
        case "p":
            guard let key = Int64(parts[1].dropFirst()) else { return nil }
            self.key = key
        case "t": key = nil
        default: return nil
        }
    }
}
