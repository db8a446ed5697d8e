import SwiftSyntax

/// `#Unique` or `#Index` in a class, as written in the source.
struct PropertyList {
    /// Whether the list is a uniqueness constraint or an index.
    enum Purpose: String {
        case unique = "Unique"
        case index = "Index"
    }

    let purpose: Purpose
    /// The class that is the generic argument. `nil` if no argument is written.
    let className: String?
    /// The property names of each constraint or index. `nil` if one of them is not a literal key path.
    let lists: [[String]]?

    /// Returns `nil` for any other macro.
    init?(_ macro: some FreestandingMacroExpansionSyntax) {
        guard let purpose = Purpose(rawValue: macro.macroName.text) else { return nil }
        self.purpose = purpose
        className = macro.genericArgumentClause?.arguments.first?.argument.trimmedDescription
        let lists = macro.arguments.map { Self.names(in: $0.expression) }
        self.lists = lists.contains(nil) ? nil : lists.compactMap(\.self)
    }

    private static func names(in expression: ExprSyntax) -> [String]? {
        guard let array = expression.as(ArrayExprSyntax.self) else { return nil }
        let names = array.elements.map { $0.expression.as(KeyPathExprSyntax.self)?.propertyPath }
        return names.isEmpty || names.contains(nil) ? nil : names.compactMap(\.self)
    }
}

extension KeyPathExprSyntax {
    /// The names of the properties along the key path, joined by dots. `nil` if the key path is empty or
    /// contains anything else.
    var propertyPath: String? {
        var names: [String] = []
        for component in components {
            switch component.component {
            case .property(let property): names.append(property.declName.baseName.plainText)
            case .optional: break
            default: return nil
            }
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }
}

extension TokenSyntax {
    /// The text without backticks.
    var plainText: String { text.filter { $0 != "`" } }
}
