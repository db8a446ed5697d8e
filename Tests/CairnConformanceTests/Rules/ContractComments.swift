import CairnConformance
import CairnTestSupport
import Foundation

/// The documentation comments of the contract's declarations.
struct ContractComments {
    /// A declaration: a type, or a member such as `RowCursor.next(atMost:)`.
    struct Member {
        /// The sentences of the comment, without its lists of errors, preconditions and parameters.
        var sentences: [String] = []
        /// The errors in the comment's list of errors.
        var errors: Set<StoreErrorCase> = []
        /// The path of the source file, such as `Sources/CairnStore/Files/FileStore.swift`.
        var file = ""
    }

    /// The declarations by type and name, such as `PersistentStore.open(_:)`.
    var members: [String: Member] = [:]
    /// The contract protocols whose requirements these files declare.
    private(set) var protocols: Set<String> = []

    /// The `CairnStore` files that form the contract.
    private static let files = [
        "Stores/PersistentStore", "Stores/StoreCapabilities", "Stores/SelfCheckingStore",
        "Files/FileStore", "Opening/OpenRequest", "Stores/StoreMetadata", "Stores/StoreSnapshot",
        "Stores/StateToCopy",
        "History/HistoryStore", "History/PersistentHistoryTransaction",
        "Saving/SaveRequest", "Saving/SavePart", "Saving/SaveTransaction", "Saving/SaveID",
        "Fetching/FetchPlan",
        "Fetching/RowCursor", "Fetching/RelatedIDs", "Stores/StoreDeadline",
    ]
    /// Declarations in these files that serve engines and are no part of the contract.
    private static let helpers = [
        "FetchPart", "FetchPlan.checkCancellation", "StoreOptions.tracksHistory",
        "FileStore.byteCount", "SaveReporter",
        "SaveRequest.requireWellFormed", "SaveRequest.rowConflicts", "StoreDisagreement",
        "StoreType",
    ]

    init() throws {
        for file in Self.files {
            let path = "Sources/CairnStore/\(file).swift"
            add(try Repository.text(path), file: path)
        }
    }

    /// Reads one source.
    init(source: String) { add(source, file: "") }

    private mutating func add(_ source: String, file: String) {
        var scanner = DeclarationScanner()
        var comment: [String] = []
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (index, line) in lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("///") {
                comment.append(text.dropFirst(3).trimmingCharacters(in: .whitespaces))
                continue
            }
            if text.hasPrefix("@") { continue }
            let name = scanner.read(lines[index...])
            if let name, !comment.isEmpty, !Self.helpers.contains(where: name.hasPrefix) {
                add(comment, to: name)
                members[name]?.file = file
            }
            comment = []
        }
        protocols.formUnion(scanner.protocols)
    }

    private mutating func add(_ comment: [String], to name: String) {
        var paragraph: [String] = []
        var list: String?
        for line in comment + [""] {
            if line.isEmpty || line.hasPrefix("- ") {
                let text = paragraph.joined(separator: " ")
                if !text.isEmpty {
                    members[name, default: Member()].sentences += Self.sentences(text)
                }
                if let list, list.hasPrefix("- Throws") {
                    members[name, default: Member()].errors.formUnion(Self.errors(in: list))
                }
                paragraph = []
                list = line.isEmpty ? nil : line
            } else if let items = list {
                list = items + " " + line
            } else {
                paragraph.append(line)
            }
        }
    }

    /// Returns the sentences of a paragraph. A sentence ends with a full stop before a capital letter or
    /// code.
    private static func sentences(_ paragraph: String) -> [String] {
        var sentences: [String] = []
        var current = ""
        for word in paragraph.split(separator: " ") {
            let begins = word.first.map { $0.isUppercase || $0 == "`" } ?? false
            if current.hasSuffix("."), begins {
                sentences.append(current)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
        }
        return sentences + [current]
    }

    /// Returns the errors that a text mentions, such as `` `.busy` ``.
    static func errors(in text: String) -> Set<StoreErrorCase> {
        Set(text.matches(of: /`\.(\w+)`/).compactMap { StoreErrorCase(rawValue: String($0.1)) })
    }
}
