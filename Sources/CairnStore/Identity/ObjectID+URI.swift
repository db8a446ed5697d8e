import CairnModel
import Foundation

extension ObjectID: CustomStringConvertible {
    /// The ID as text, in Core Data's form.
    ///
    /// Permanent: `x-coredata://<store identifier>/<Entity>/p<key>`. Temporary:
    /// `x-coredata:///<Entity>/t<space>-<key>`, which means nothing in another process.
    ///
    /// An object of a ``ReferencingStore`` is named by `#<key>`, which means nothing in another process
    /// either: errors and logs have this text, and its reference may be what they must not show.
    public var description: String {
        let (entry, name) = names
        if isTemporary { return "x-coredata:///\(name)/\(temporaryText)" }
        let mark = entry?.references?.table(of: rootEntity) == nil ? "p" : "#"
        return "x-coredata://\(entry?.identifier ?? "")/\(name)/\(mark)\(key)"
    }

    /// Returns the ID as a URL, in Core Data's form, for use after the program has ended, too.
    ///
    /// Permanent: `x-coredata://<store identifier>/<Entity>/p<reference>`. The reference is the key, or
    /// the text or UUID by which a ``ReferencingStore`` identifies the object. What is special in URLs is
    /// percent-encoded, a slash in the entity's name or in a text, too. A text may be a stored value:
    /// do not log the URL if the value must not be there.
    ///
    /// A temporary ID has the form of ``description``. So has the ID of a new object whose reference is
    /// not known before it is saved. No object is found by these URLs.
    public func uriRepresentation() -> URL {
        let (entry, name) = names
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = isTemporary ? "" : entry?.identifier ?? ""
        components.percentEncodedPath = "/\(ObjectURI.encoded(name))/" + permanentText(entry)
        // Host, name and text are percent-encoded, so there always is a URL.
        return components.url ?? URL(fileURLWithPath: description)
    }

    private var names: (entry: StoreDirectory.Entry?, entity: String) {
        let entry = StoreDirectory.shared.entry(for: store)
        return (entry, entry?.name(of: entity) ?? "\(entity.rawValue)")
    }

    private var temporaryText: String { "t\(store.rawValue & 0x7fff_ffff)-\(key.magnitude)" }

    private func permanentText(_ entry: StoreDirectory.Entry?) -> String {
        if isTemporary { return temporaryText }
        guard let references = entry?.references else { return "p\(key)" }
        return references.referenceObject(for: self).map { "p" + ObjectURI.encoded($0.uriText) }
            ?? temporaryText
    }
}
