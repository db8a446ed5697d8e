import CairnModel
import Foundation

@testable import CairnModelArchive

/// Compares two archives recursively and lists the fields that differ.
///
/// The order of dictionaries and sets is not significant. Each object is compared only once, so cycles end.
struct ArchiveComparison {
    /// Fields that may differ, as `Class.key`.
    let exceptions: Set<String>
    /// The differences: the path from the root, the field, and both values.
    private(set) var differences: [String] = []
    /// The number of fields compared.
    private(set) var comparedCount = 0
    private var seen: Set<[Int]> = []

    init(exceptions: Set<String>) { self.exceptions = exceptions }

    mutating func compare(
        _ left: ArchivedValue, _ right: ArchivedValue, at path: String
    ) throws(ModelArchiveError) {
        comparedCount += 1
        switch (left, right) {
        case (.object(let left), .object(let right)):
            if seen.insert([left.number, right.number]).inserted {
                try compare(left, right, at: path)
            }
        default:
            let (before, after) = (Self.text(left), Self.text(right))
            if before != after { differences.append("\(path): \(before) → \(after)") }
        }
    }

    private mutating func compare(
        _ left: ArchivedObject, _ right: ArchivedObject, at path: String
    ) throws(ModelArchiveError) {
        let named = "\(path)(\(left.className))"
        guard left.className == right.className, left.ancestors == right.ancestors else {
            differences.append("\(named): \(left.ancestors) → \(right.ancestors)")
            return
        }
        if left.isKind(of: "NSDictionary") {
            try compareEntries(left, right, at: named)
        } else if left.isKind(of: "NSArray") || left.isKind(of: "NSSet") {
            try compareElements(left, right, at: named)
        } else {
            for key in Set(left.fields.keys).union(right.fields.keys).sorted()
            where !key.hasPrefix("Cairn") && key != "$class" {
                if exceptions.contains("\(left.className).\(key)") { continue }
                let hasKeys = (left.fields[key] != nil, right.fields[key] != nil)
                guard hasKeys == (true, true) else {
                    differences.append("\(named).\(key): is there \(hasKeys.0) → \(hasKeys.1)")
                    continue
                }
                try compare(left.value(key), right.value(key), at: "\(path).\(key)")
            }
        }
    }

    private mutating func compareEntries(
        _ left: ArchivedObject, _ right: ArchivedObject, at path: String
    ) throws(ModelArchiveError) {
        let before = try left.entries().sorted { $0.key < $1.key }
        let after = try right.entries().sorted { $0.key < $1.key }
        guard before.map(\.key) == after.map(\.key) else {
            differences.append("\(path): \(before.map(\.key)) → \(after.map(\.key))")
            return
        }
        for (old, new) in zip(before, after) {
            try compare(old.value, new.value, at: "\(path).\(old.key)")
        }
    }

    private mutating func compareElements(
        _ left: ArchivedObject, _ right: ArchivedObject, at path: String
    ) throws(ModelArchiveError) {
        var (before, after) = (try left.elements(), try right.elements())
        guard before.count == after.count else {
            differences.append("\(path): \(before.count) → \(after.count) elements")
            return
        }
        if left.isKind(of: "NSSet") {
            before.sort { Self.text($0) < Self.text($1) }
            after.sort { Self.text($0) < Self.text($1) }
        }
        for (index, (old, new)) in zip(before, after).enumerated() {
            try compare(old, new, at: "\(path)[\(index)]")
        }
    }

    /// Describes a value: a plain value with its type, and an object by its name if it has one.
    private static func text(_ value: ArchivedValue) -> String {
        guard case .object(let object) = value else { return "\(value)" }
        let name = try? object.string("NSEntityName")
        return "object \(object.className) \(name ?? "")"
    }
}
