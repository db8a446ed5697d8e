import CairnModel
import Foundation

/// The parts of an object ID's URI.
public struct ObjectURI: Sendable, Hashable {
    /// Identifier of the store; empty for a temporary ID.
    public let storeIdentifier: String
    /// The entity as the URI names it, percent-decoded. The concrete one where Cairn wrote the URI;
    /// whether any model has it is not checked.
    public let entityName: String
    /// What identifies the object, percent-decoded: its key, or its reference. `nil` for a temporary ID.
    public let keyText: String?
    /// The key, if ``keyText`` is the decimal form of one: digits alone, up to `Int64.max`.
    public var key: Int64? {
        guard let keyText, keyText.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(keyText)
    }

    /// Reads a URI; nil where it has not the form of ``ObjectID/uriRepresentation()``.
    public init?(_ url: URL) {
        guard url.scheme == "x-coredata",
            let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath
        else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty, let kind = parts[2].first,
            let name = parts[1].removingPercentEncoding
        else { return nil }
        storeIdentifier = (url.host ?? "").uppercased()
        entityName = name
        switch kind {
        case "p":
            guard let text = parts[2].dropFirst().removingPercentEncoding else { return nil }
            keyText = text
        case "t": keyText = nil
        default: return nil
        }
    }

    /// A name or a text as one component of a path.
    static func encoded(_ name: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
