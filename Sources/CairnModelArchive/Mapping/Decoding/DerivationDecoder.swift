import CairnModel

/// Decodes the rule by which a derived attribute is computed.
enum DerivationDecoder {
    static func derivation(_ object: ArchivedObject) throws(ModelArchiveError) -> Derivation {
        let expression = try object.value("NSDerivationExpression")
        // A derivation of an unsupported form is left empty. The store's triggers compute it nevertheless.
        let text =
            try object.string(ArchiveKey.expressionText) ?? ExpressionText.text(of: expression)
        let filter = try PredicateDecoder.predicate(object.value("NSFilteringPredicate")).predicate
        return Derivation(expression: text ?? "", filter: filter)
    }
}
