import SwiftSyntax

/// `#Unique` or `#Index` in a class, as it is written.
struct PropertyList {
    /// Whether objects differ in the properties, or stores index them.
    enum Purpose: String {
        case unique = "Unique"
        case index = "Index"
    }

    let purpose: Purpose
    /// The class that the generic argument names. `nil` if there is none.
    let className: String?
    /// The names of each constraint's or index's properties. `nil` if one is no literal key path.
    let lists: [[String]]?

    /// Returns `nil` for another macro.
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
    /// The names of the properties that the key path follows, joined by dots. `nil` if it follows something
    /// else, or nothing.
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
