import SwiftSyntax

// Corrected declarations.

extension ClassDeclSyntax {
    /// The class with `ManagedObject` as its superclass.
    var inheritingManagedObject: ClassDeclSyntax {
        var entity = self
        entity.name.trailingTrivia = []
        entity.genericParameterClause?.trailingTrivia = []
        var inherited = entity.inheritanceClause?.inheritedTypes ?? []
        var superclass = InheritedTypeSyntax(type: TypeSyntax("ManagedObject"))
        if inherited.isEmpty {
            superclass.trailingTrivia = .space
        } else {
            superclass.trailingComma = .commaToken(trailingTrivia: .space)
        }
        inherited.insert(superclass, at: inherited.startIndex)
        entity.inheritanceClause = InheritanceClauseSyntax(
            colon: .colonToken(trailingTrivia: .space), inheritedTypes: inherited)
        return entity
    }

    /// A structure with the same members. The program has to correct the first type that the class inherits
    /// from.
    var asStructure: StructDeclSyntax {
        var modifiers = modifiers
        var keyword = TokenSyntax.keyword(.struct, trailingTrivia: .space)
        keyword.leadingTrivia = classKeyword.leadingTrivia
        if let index = modifiers.firstIndex(where: { $0.name.text == "final" }) {
            let trivia = modifiers[index].leadingTrivia
            modifiers.remove(at: index)
            if modifiers.isEmpty {
                keyword.leadingTrivia = trivia
            } else if index == modifiers.startIndex {
                modifiers[index].leadingTrivia = trivia
            }
        }
        return StructDeclSyntax(
            attributes: attributes, modifiers: modifiers, structKeyword: keyword, name: name,
            genericParameterClause: genericParameterClause, inheritanceClause: inheritanceClause,
            genericWhereClause: genericWhereClause, memberBlock: memberBlock)
    }
}

extension StructDeclSyntax {
    /// A class of managed objects with the same members.
    var asEntity: ClassDeclSyntax {
        var final = DeclModifierSyntax(name: .keyword(.final, trailingTrivia: .space))
        final.leadingTrivia = structKeyword.leadingTrivia
        let entity = ClassDeclSyntax(
            attributes: attributes, modifiers: modifiers + [final],
            classKeyword: .keyword(.class, trailingTrivia: .space), name: name,
            genericParameterClause: genericParameterClause, inheritanceClause: inheritanceClause,
            genericWhereClause: genericWhereClause, memberBlock: memberBlock)
        return entity.inheritingManagedObject
    }
}
