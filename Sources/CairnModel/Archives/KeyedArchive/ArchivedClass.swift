/// The superclasses of each class that we archive, as Core Data lists them in its own archives.
enum ArchivedClass {
    static func ancestors(of name: String) -> [String] {
        var chain = [name]
        while let above = superclasses[chain[chain.count - 1]] { chain.append(above) }
        return chain + ["NSObject"]
    }

    private static let superclasses = [
        "NSMutableArray": "NSArray", "NSMutableDictionary": "NSDictionary",
        "NSMutableSet": "NSSet", "NSMutableString": "NSString", "NSMutableData": "NSData",
        "NSMutableOrderedSet": "NSOrderedSet",
        "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
        "NSKnownKeysDictionary": "NSMutableDictionary",
        "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy",
        "NSAttributeDescription": "NSPropertyDescription",
        "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription",
        "NSExpressionDescription": "NSPropertyDescription",
        "NSDerivedAttributeDescription": "NSAttributeDescription",
        "NSCompositeAttributeDescription": "NSAttributeDescription",
        "NSFetchRequest": "NSPersistentStoreRequest",
        "NSDecimalNumberPlaceholder": "NSDecimalNumber", "NSDecimalNumber": "NSNumber",
        "NSNumber": "NSValue",
        "NSComparisonPredicate": "NSPredicate", "NSCompoundPredicate": "NSPredicate",
        "NSTruePredicate": "NSPredicate", "NSFalsePredicate": "NSPredicate",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSEqualityPredicateOperator": "NSPredicateOperator",
        "NSInPredicateOperator": "NSPredicateOperator",
        "NSBetweenPredicateOperator": "NSPredicateOperator",
        "NSStringPredicateOperator": "NSPredicateOperator",
        "NSMatchingPredicateOperator": "NSStringPredicateOperator",
        "NSLikePredicateOperator": "NSMatchingPredicateOperator",
        "NSSubstringPredicateOperator": "NSStringPredicateOperator",
        "NSConstantValueExpression": "NSExpression", "NSSelfExpression": "NSExpression",
        "NSVariableExpression": "NSExpression", "NSKeyPathSpecifierExpression": "NSExpression",
        "NSFunctionExpression": "NSExpression", "NSKeyPathExpression": "NSFunctionExpression",
        "NSAggregateExpression": "NSExpression", "NSSubqueryExpression": "NSExpression",
        "NSTernaryExpression": "NSExpression",
    ]
}
