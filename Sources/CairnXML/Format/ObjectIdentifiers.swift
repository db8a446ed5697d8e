import CairnAtomicStore
import CairnModel
import CairnStore

/// How root entity and key are one number that is unique in a document.
///
/// Core Data's identifiers are keys that the whole store shares. New files have
/// `key × number of root entities + place of the root entity`, and say so in their metadata.
struct ObjectIdentifiers {
    /// Root entities by place. `nil` means that identifiers are keys.
    let roots: [EntityNumber]?

    /// Returns the identifier. Returns `nil` if it would not fit 63 bits.
    func identifier(root: EntityNumber, key: Int64) -> Int64? {
        guard let roots else { return key }
        guard let place = roots.firstIndex(of: root) else { return nil }
        let (product, overflow) = key.multipliedReportingOverflow(by: Int64(roots.count))
        let (sum, isTooLarge) = product.addingReportingOverflow(Int64(place))
        return overflow || isTooLarge || key < 1 ? nil : sum
    }

    /// Returns the identifier.
    ///
    /// - Throws: `.keysExhausted` where it would not fit 63 bits.
    func number(
        root: EntityNumber, key: Int64, in content: AtomicContent
    ) throws(StoreError) -> Int64 {
        if let number = identifier(root: root, key: key) { return number }
        let name = content.layouts.model.entity(numbered: root)?.name
        throw .keysExhausted(entity: name ?? "\(root.rawValue)")
    }

    /// Whether an identifier says itself that its object is of the root entity. `false` for one whose
    /// object has to be looked up.
    func names(root: EntityNumber, _ identifier: Int64) -> Bool {
        guard let roots, let place = roots.firstIndex(of: root) else { return false }
        let count = Int64(roots.count)
        return identifier % count == Int64(place) && identifier >= count
    }

    /// Returns the key of an identifier in a root entity.
    ///
    /// A program that does not know the scheme may have added objects: their identifiers, above
    /// all that were there, are their keys.
    func key(of identifier: Int64, root: EntityNumber) -> Int64 {
        guard let roots, let place = roots.firstIndex(of: root) else { return identifier }
        let count = Int64(roots.count)
        return identifier % count == Int64(place) && identifier >= count
            ? identifier / count : identifier
    }
}
