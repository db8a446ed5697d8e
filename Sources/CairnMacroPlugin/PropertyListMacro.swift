import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique` and `#Index`, which ``EntityMacro`` reads, and which expand to nothing themselves.
struct PropertyListMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let list = PropertyList(node) else { return [] }
        let name = "#\(list.purpose.rawValue)"
        let entity = context.enclosingEntity
        if !context.isInType(with: "Entity") {
            context.diagnose(EntityMistake.noEntity(name).diagnostic(at: node))
        } else if let entity, let className = list.className, className != entity.name.text {
            context.diagnose(
                EntityMistake.otherClass(name, entity.name.text).diagnostic(at: node))
        }
        if list.lists == nil {
            context.diagnose(EntityMistake.noKeyPaths(name).diagnostic(at: node))
        }
        return []
    }
}

extension MacroExpansionContext {
    /// Returns the class with `@Entity` that contains the macro, or `nil` if there is no such class.
    var enclosingEntity: ClassDeclSyntax? {
        guard let entity = lexicalContext.first?.as(ClassDeclSyntax.self),
            entity.attributes.contains("Entity")
        else { return nil }
        return entity
    }

    /// Returns whether the type that contains this macro has the given macro. If the type is of the wrong
    /// kind, the given macro reports that itself.
    func isInType(with macro: String) -> Bool {
        let type = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        return type?.attributes.contains(macro) ?? false
    }
}

extension AttributeListSyntax {
    /// Returns whether one of the attributes is the macro with this name.
    fileprivate func contains(_ macro: String) -> Bool {
        contains { attribute in
            let name = attribute.as(AttributeSyntax.self)?.attributeName.trimmedDescription
            return name == macro || name == "CairnMacros.\(macro)"
        }
    }
}
