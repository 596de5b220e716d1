// @ts-nocheck
// Generated from the schemas by Ajv. Run `node scripts/compile-validators.ts` after you change one.
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
const func2 = ucs2length.default;

export const validateTask = validate10;
const schema11 = {"$id":"validateTask","type":"object","required":["contractVersion","bucket"],"properties":{"contractVersion":{"const":1},"bucket":{"type":"object","required":["service","name"],"properties":{"service":{"enum":["s3","r2"]},"name":{"type":"string","minLength":1},"region":{"type":"string"},"host":{"type":"string"},"accountId":{"type":"string"},"endpoint":{"type":"string"},"caBundle":{"type":"string"},"storageClass":{"type":"string"},"cacheControl":{"type":"string"},"contentDisposition":{"type":"string"},"acl":{"type":"string"},"webIdentity":{"type":"object","required":["roleArn","audience"],"properties":{"roleArn":{"type":"string","minLength":1},"audience":{"type":"string","minLength":1},"stsEndpoint":{"type":"string"},"stsRegion":{"type":"string"},"durationSeconds":{"type":"integer","minimum":0}}}}}},"discriminator":{"propertyName":"mode"},"oneOf":[{"type":"object","required":["mode","namespace","zipJob","zipJobUid","key","compression","onConflict","defaultModificationTime","files","startDeadlineSeconds"],"properties":{"mode":{"const":"archive"},"namespace":{"type":"string","minLength":1},"zipJob":{"type":"string","minLength":1},"zipJobUid":{"type":"string","minLength":1},"key":{"type":"string","minLength":1},"compression":{"enum":["auto","store","deflate"]},"onConflict":{"enum":["replace","fail"]},"sha256":{"type":"boolean"},"onSourceError":{"enum":["Fail","Skip","Placeholder"]},"manifestEntry":{"type":"string","minLength":1},"manifestFormat":{"enum":["json","sha256sum","bagit"]},"sequential":{"type":"boolean"},"objectOptions":{"type":"object","properties":{"contentDisposition":{"type":"string"},"contentType":{"type":"string"},"cacheControl":{"type":"string"},"storageClass":{"type":"string"},"metadata":{"type":"object","additionalProperties":{"type":"string"}},"tags":{"type":"object","additionalProperties":{"type":"string"}}}},"portableNames":{"enum":["keep","refuse","rewrite"]},"fixedModificationTime":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"defaultModificationTime":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},"files":{"type":"object","discriminator":{"propertyName":"from"},"oneOf":[{"type":"object","required":["from","chunks","count","sha256"],"properties":{"from":{"const":"mounted"},"chunks":{"type":"integer","minimum":0},"count":{"type":"integer","minimum":0},"sha256":{"type":"string","minLength":1}}},{"type":"object","required":["from","count"],"properties":{"from":{"const":"inline"},"count":{"type":"integer","minimum":0}}}]},"startDeadlineSeconds":{"type":"number","minimum":0}}},{"type":"object","required":["mode","key","attempt","since"],"properties":{"mode":{"const":"recover"},"key":{"type":"string","minLength":1},"attempt":{"type":"string","minLength":1},"since":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"}},"discriminator":{"propertyName":"uploadState"},"oneOf":[{"type":"object","required":["uploadState","uploadId"],"properties":{"uploadState":{"enum":["open","committing"]},"uploadId":{"type":"string","minLength":1}}},{"type":"object","required":["uploadState"],"properties":{"uploadState":{"const":"unrecorded"}}}]},{"type":"object","required":["mode"],"properties":{"mode":{"const":"check-bucket"}}}]};

const pattern0 = new RegExp("^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateTask" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.contractVersion === undefined) && (missing0 = "contractVersion")) || ((data.bucket === undefined) && (missing0 = "bucket"))){
validate10.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.contractVersion !== undefined){
const _errs2 = errors;
if(1 !== data.contractVersion){
validate10.errors = [{instancePath:instancePath+"/contractVersion",schemaPath:"#/properties/contractVersion/const",keyword:"const",params:{allowedValue: 1},message:"must be equal to constant"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.bucket !== undefined){
let data1 = data.bucket;
const _errs3 = errors;
if(errors === _errs3){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if(((data1.service === undefined) && (missing1 = "service")) || ((data1.name === undefined) && (missing1 = "name"))){
validate10.errors = [{instancePath:instancePath+"/bucket",schemaPath:"#/properties/bucket/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data1.service !== undefined){
let data2 = data1.service;
const _errs5 = errors;
if(!((data2 === "s3") || (data2 === "r2"))){
validate10.errors = [{instancePath:instancePath+"/bucket/service",schemaPath:"#/properties/bucket/properties/service/enum",keyword:"enum",params:{allowedValues: schema11.properties.bucket.properties.service.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.name !== undefined){
let data3 = data1.name;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data3 === "string"){
if(func2(data3) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/name",schemaPath:"#/properties/bucket/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/name",schemaPath:"#/properties/bucket/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.region !== undefined){
const _errs8 = errors;
if(typeof data1.region !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/region",schemaPath:"#/properties/bucket/properties/region/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs8 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.host !== undefined){
const _errs10 = errors;
if(typeof data1.host !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/host",schemaPath:"#/properties/bucket/properties/host/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.accountId !== undefined){
const _errs12 = errors;
if(typeof data1.accountId !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/accountId",schemaPath:"#/properties/bucket/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs12 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.endpoint !== undefined){
const _errs14 = errors;
if(typeof data1.endpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/endpoint",schemaPath:"#/properties/bucket/properties/endpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs14 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.caBundle !== undefined){
const _errs16 = errors;
if(typeof data1.caBundle !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/caBundle",schemaPath:"#/properties/bucket/properties/caBundle/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs16 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.storageClass !== undefined){
const _errs18 = errors;
if(typeof data1.storageClass !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/storageClass",schemaPath:"#/properties/bucket/properties/storageClass/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs18 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cacheControl !== undefined){
const _errs20 = errors;
if(typeof data1.cacheControl !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/cacheControl",schemaPath:"#/properties/bucket/properties/cacheControl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs20 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.contentDisposition !== undefined){
const _errs22 = errors;
if(typeof data1.contentDisposition !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/contentDisposition",schemaPath:"#/properties/bucket/properties/contentDisposition/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs22 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.acl !== undefined){
const _errs24 = errors;
if(typeof data1.acl !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/acl",schemaPath:"#/properties/bucket/properties/acl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.webIdentity !== undefined){
let data13 = data1.webIdentity;
const _errs26 = errors;
if(errors === _errs26){
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
let missing2;
if(((data13.roleArn === undefined) && (missing2 = "roleArn")) || ((data13.audience === undefined) && (missing2 = "audience"))){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity",schemaPath:"#/properties/bucket/properties/webIdentity/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data13.roleArn !== undefined){
let data14 = data13.roleArn;
const _errs28 = errors;
if(errors === _errs28){
if(typeof data14 === "string"){
if(func2(data14) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/roleArn",schemaPath:"#/properties/bucket/properties/webIdentity/properties/roleArn/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/roleArn",schemaPath:"#/properties/bucket/properties/webIdentity/properties/roleArn/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid2 = _errs28 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data13.audience !== undefined){
let data15 = data13.audience;
const _errs30 = errors;
if(errors === _errs30){
if(typeof data15 === "string"){
if(func2(data15) < 1){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/audience",schemaPath:"#/properties/bucket/properties/webIdentity/properties/audience/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/audience",schemaPath:"#/properties/bucket/properties/webIdentity/properties/audience/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid2 = _errs30 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data13.stsEndpoint !== undefined){
const _errs32 = errors;
if(typeof data13.stsEndpoint !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/stsEndpoint",schemaPath:"#/properties/bucket/properties/webIdentity/properties/stsEndpoint/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs32 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data13.stsRegion !== undefined){
const _errs34 = errors;
if(typeof data13.stsRegion !== "string"){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/stsRegion",schemaPath:"#/properties/bucket/properties/webIdentity/properties/stsRegion/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid2 = _errs34 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data13.durationSeconds !== undefined){
let data18 = data13.durationSeconds;
const _errs36 = errors;
if(!(((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18))) && (isFinite(data18)))){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/durationSeconds",schemaPath:"#/properties/bucket/properties/webIdentity/properties/durationSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs36){
if((typeof data18 == "number") && (isFinite(data18))){
if(data18 < 0 || isNaN(data18)){
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity/durationSeconds",schemaPath:"#/properties/bucket/properties/webIdentity/properties/durationSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid2 = _errs36 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket/webIdentity",schemaPath:"#/properties/bucket/properties/webIdentity/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid1 = _errs26 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/bucket",schemaPath:"#/properties/bucket/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
const tag0 = data.mode;
if(typeof tag0 == "string"){
if(tag0 === "archive"){
const _errs38 = errors;
if(errors === _errs38){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing3;
if(((((((((((data.mode === undefined) && (missing3 = "mode")) || ((data.namespace === undefined) && (missing3 = "namespace"))) || ((data.zipJob === undefined) && (missing3 = "zipJob"))) || ((data.zipJobUid === undefined) && (missing3 = "zipJobUid"))) || ((data.key === undefined) && (missing3 = "key"))) || ((data.compression === undefined) && (missing3 = "compression"))) || ((data.onConflict === undefined) && (missing3 = "onConflict"))) || ((data.defaultModificationTime === undefined) && (missing3 = "defaultModificationTime"))) || ((data.files === undefined) && (missing3 = "files"))) || ((data.startDeadlineSeconds === undefined) && (missing3 = "startDeadlineSeconds"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data.mode !== undefined){
const _errs40 = errors;
if("archive" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/0/properties/mode/const",keyword:"const",params:{allowedValue: "archive"},message:"must be equal to constant"}];
return false;
}
var valid5 = _errs40 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.namespace !== undefined){
let data20 = data.namespace;
const _errs41 = errors;
if(errors === _errs41){
if(typeof data20 === "string"){
if(func2(data20) < 1){
validate10.errors = [{instancePath:instancePath+"/namespace",schemaPath:"#/oneOf/0/properties/namespace/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/namespace",schemaPath:"#/oneOf/0/properties/namespace/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs41 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.zipJob !== undefined){
let data21 = data.zipJob;
const _errs43 = errors;
if(errors === _errs43){
if(typeof data21 === "string"){
if(func2(data21) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJob",schemaPath:"#/oneOf/0/properties/zipJob/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJob",schemaPath:"#/oneOf/0/properties/zipJob/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs43 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.zipJobUid !== undefined){
let data22 = data.zipJobUid;
const _errs45 = errors;
if(errors === _errs45){
if(typeof data22 === "string"){
if(func2(data22) < 1){
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/0/properties/zipJobUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/zipJobUid",schemaPath:"#/oneOf/0/properties/zipJobUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs45 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.key !== undefined){
let data23 = data.key;
const _errs47 = errors;
if(errors === _errs47){
if(typeof data23 === "string"){
if(func2(data23) < 1){
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/0/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/0/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs47 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.compression !== undefined){
let data24 = data.compression;
const _errs49 = errors;
if(!(((data24 === "auto") || (data24 === "store")) || (data24 === "deflate"))){
validate10.errors = [{instancePath:instancePath+"/compression",schemaPath:"#/oneOf/0/properties/compression/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.compression.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid5 = _errs49 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.onConflict !== undefined){
let data25 = data.onConflict;
const _errs50 = errors;
if(!((data25 === "replace") || (data25 === "fail"))){
validate10.errors = [{instancePath:instancePath+"/onConflict",schemaPath:"#/oneOf/0/properties/onConflict/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.onConflict.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid5 = _errs50 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.sha256 !== undefined){
const _errs51 = errors;
if(typeof data.sha256 !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sha256",schemaPath:"#/oneOf/0/properties/sha256/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid5 = _errs51 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.onSourceError !== undefined){
let data27 = data.onSourceError;
const _errs53 = errors;
if(!(((data27 === "Fail") || (data27 === "Skip")) || (data27 === "Placeholder"))){
validate10.errors = [{instancePath:instancePath+"/onSourceError",schemaPath:"#/oneOf/0/properties/onSourceError/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.onSourceError.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid5 = _errs53 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.manifestEntry !== undefined){
let data28 = data.manifestEntry;
const _errs54 = errors;
if(errors === _errs54){
if(typeof data28 === "string"){
if(func2(data28) < 1){
validate10.errors = [{instancePath:instancePath+"/manifestEntry",schemaPath:"#/oneOf/0/properties/manifestEntry/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/manifestEntry",schemaPath:"#/oneOf/0/properties/manifestEntry/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs54 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.manifestFormat !== undefined){
let data29 = data.manifestFormat;
const _errs56 = errors;
if(!(((data29 === "json") || (data29 === "sha256sum")) || (data29 === "bagit"))){
validate10.errors = [{instancePath:instancePath+"/manifestFormat",schemaPath:"#/oneOf/0/properties/manifestFormat/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.manifestFormat.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid5 = _errs56 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.sequential !== undefined){
const _errs57 = errors;
if(typeof data.sequential !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/sequential",schemaPath:"#/oneOf/0/properties/sequential/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"}];
return false;
}
var valid5 = _errs57 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.objectOptions !== undefined){
let data31 = data.objectOptions;
const _errs59 = errors;
if(errors === _errs59){
if(data31 && typeof data31 == "object" && !Array.isArray(data31)){
if(data31.contentDisposition !== undefined){
const _errs61 = errors;
if(typeof data31.contentDisposition !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/contentDisposition",schemaPath:"#/oneOf/0/properties/objectOptions/properties/contentDisposition/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs61 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data31.contentType !== undefined){
const _errs63 = errors;
if(typeof data31.contentType !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/contentType",schemaPath:"#/oneOf/0/properties/objectOptions/properties/contentType/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs63 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data31.cacheControl !== undefined){
const _errs65 = errors;
if(typeof data31.cacheControl !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/cacheControl",schemaPath:"#/oneOf/0/properties/objectOptions/properties/cacheControl/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs65 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data31.storageClass !== undefined){
const _errs67 = errors;
if(typeof data31.storageClass !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/storageClass",schemaPath:"#/oneOf/0/properties/objectOptions/properties/storageClass/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid6 = _errs67 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data31.metadata !== undefined){
let data36 = data31.metadata;
const _errs69 = errors;
if(errors === _errs69){
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
for(const key0 in data36){
const _errs72 = errors;
if(typeof data36[key0] !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/metadata/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/oneOf/0/properties/objectOptions/properties/metadata/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid7 = _errs72 === errors;
if(!valid7){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions/metadata",schemaPath:"#/oneOf/0/properties/objectOptions/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid6 = _errs69 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data31.tags !== undefined){
let data38 = data31.tags;
const _errs74 = errors;
if(errors === _errs74){
if(data38 && typeof data38 == "object" && !Array.isArray(data38)){
for(const key1 in data38){
const _errs77 = errors;
if(typeof data38[key1] !== "string"){
validate10.errors = [{instancePath:instancePath+"/objectOptions/tags/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/oneOf/0/properties/objectOptions/properties/tags/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid8 = _errs77 === errors;
if(!valid8){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions/tags",schemaPath:"#/oneOf/0/properties/objectOptions/properties/tags/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid6 = _errs74 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/objectOptions",schemaPath:"#/oneOf/0/properties/objectOptions/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid5 = _errs59 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.portableNames !== undefined){
let data40 = data.portableNames;
const _errs79 = errors;
if(!(((data40 === "keep") || (data40 === "refuse")) || (data40 === "rewrite"))){
validate10.errors = [{instancePath:instancePath+"/portableNames",schemaPath:"#/oneOf/0/properties/portableNames/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[0].properties.portableNames.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid5 = _errs79 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.fixedModificationTime !== undefined){
let data41 = data.fixedModificationTime;
const _errs80 = errors;
if(errors === _errs80){
if(typeof data41 === "string"){
if(!pattern0.test(data41)){
validate10.errors = [{instancePath:instancePath+"/fixedModificationTime",schemaPath:"#/oneOf/0/properties/fixedModificationTime/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/fixedModificationTime",schemaPath:"#/oneOf/0/properties/fixedModificationTime/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs80 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.defaultModificationTime !== undefined){
let data42 = data.defaultModificationTime;
const _errs82 = errors;
if(errors === _errs82){
if(typeof data42 === "string"){
if(!pattern0.test(data42)){
validate10.errors = [{instancePath:instancePath+"/defaultModificationTime",schemaPath:"#/oneOf/0/properties/defaultModificationTime/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/defaultModificationTime",schemaPath:"#/oneOf/0/properties/defaultModificationTime/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid5 = _errs82 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.files !== undefined){
let data43 = data.files;
const _errs84 = errors;
if(errors === _errs84){
if(data43 && typeof data43 == "object" && !Array.isArray(data43)){
const tag1 = data43.from;
if(typeof tag1 == "string"){
if(tag1 === "mounted"){
const _errs87 = errors;
if(errors === _errs87){
if(data43 && typeof data43 == "object" && !Array.isArray(data43)){
let missing4;
if(((((data43.from === undefined) && (missing4 = "from")) || ((data43.chunks === undefined) && (missing4 = "chunks"))) || ((data43.count === undefined) && (missing4 = "count"))) || ((data43.sha256 === undefined) && (missing4 = "sha256"))){
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/0/required",keyword:"required",params:{missingProperty: missing4},message:"must have required property '"+missing4+"'"}];
return false;
}
else {
if(data43.from !== undefined){
const _errs89 = errors;
if("mounted" !== data43.from){
validate10.errors = [{instancePath:instancePath+"/files/from",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/from/const",keyword:"const",params:{allowedValue: "mounted"},message:"must be equal to constant"}];
return false;
}
var valid11 = _errs89 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data43.chunks !== undefined){
let data45 = data43.chunks;
const _errs90 = errors;
if(!(((typeof data45 == "number") && (!(data45 % 1) && !isNaN(data45))) && (isFinite(data45)))){
validate10.errors = [{instancePath:instancePath+"/files/chunks",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/chunks/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs90){
if((typeof data45 == "number") && (isFinite(data45))){
if(data45 < 0 || isNaN(data45)){
validate10.errors = [{instancePath:instancePath+"/files/chunks",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/chunks/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs90 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data43.count !== undefined){
let data46 = data43.count;
const _errs92 = errors;
if(!(((typeof data46 == "number") && (!(data46 % 1) && !isNaN(data46))) && (isFinite(data46)))){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs92){
if((typeof data46 == "number") && (isFinite(data46))){
if(data46 < 0 || isNaN(data46)){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid11 = _errs92 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data43.sha256 !== undefined){
let data47 = data43.sha256;
const _errs94 = errors;
if(errors === _errs94){
if(typeof data47 === "string"){
if(func2(data47) < 1){
validate10.errors = [{instancePath:instancePath+"/files/sha256",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/sha256/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files/sha256",schemaPath:"#/oneOf/0/properties/files/oneOf/0/properties/sha256/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid11 = _errs94 === errors;
}
else {
var valid11 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag1 === "inline"){
const _errs96 = errors;
if(errors === _errs96){
if(data43 && typeof data43 == "object" && !Array.isArray(data43)){
let missing5;
if(((data43.from === undefined) && (missing5 = "from")) || ((data43.count === undefined) && (missing5 = "count"))){
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/1/required",keyword:"required",params:{missingProperty: missing5},message:"must have required property '"+missing5+"'"}];
return false;
}
else {
if(data43.from !== undefined){
const _errs98 = errors;
if("inline" !== data43.from){
validate10.errors = [{instancePath:instancePath+"/files/from",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/from/const",keyword:"const",params:{allowedValue: "inline"},message:"must be equal to constant"}];
return false;
}
var valid13 = _errs98 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data43.count !== undefined){
let data49 = data43.count;
const _errs99 = errors;
if(!(((typeof data49 == "number") && (!(data49 % 1) && !isNaN(data49))) && (isFinite(data49)))){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs99){
if((typeof data49 == "number") && (isFinite(data49))){
if(data49 < 0 || isNaN(data49)){
validate10.errors = [{instancePath:instancePath+"/files/count",schemaPath:"#/oneOf/0/properties/files/oneOf/1/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid13 = _errs99 === errors;
}
else {
var valid13 = true;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "from", tagValue: tag1},message:"value of tag \"from\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/discriminator",keyword:"discriminator",params:{error: "tag", tag: "from", tagValue: tag1},message:"tag \"from\" must be string"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/files",schemaPath:"#/oneOf/0/properties/files/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid5 = _errs84 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.startDeadlineSeconds !== undefined){
let data50 = data.startDeadlineSeconds;
const _errs101 = errors;
if(errors === _errs101){
if((typeof data50 == "number") && (isFinite(data50))){
if(data50 < 0 || isNaN(data50)){
validate10.errors = [{instancePath:instancePath+"/startDeadlineSeconds",schemaPath:"#/oneOf/0/properties/startDeadlineSeconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/startDeadlineSeconds",schemaPath:"#/oneOf/0/properties/startDeadlineSeconds/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
}
var valid5 = _errs101 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag0 === "recover"){
const _errs103 = errors;
if(errors === _errs103){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing6;
if(((((data.mode === undefined) && (missing6 = "mode")) || ((data.key === undefined) && (missing6 = "key"))) || ((data.attempt === undefined) && (missing6 = "attempt"))) || ((data.since === undefined) && (missing6 = "since"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing6},message:"must have required property '"+missing6+"'"}];
return false;
}
else {
if(data.mode !== undefined){
const _errs106 = errors;
if("recover" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/1/properties/mode/const",keyword:"const",params:{allowedValue: "recover"},message:"must be equal to constant"}];
return false;
}
var valid15 = _errs106 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data.key !== undefined){
let data52 = data.key;
const _errs107 = errors;
if(errors === _errs107){
if(typeof data52 === "string"){
if(func2(data52) < 1){
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/1/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/key",schemaPath:"#/oneOf/1/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid15 = _errs107 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data.attempt !== undefined){
let data53 = data.attempt;
const _errs109 = errors;
if(errors === _errs109){
if(typeof data53 === "string"){
if(func2(data53) < 1){
validate10.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/oneOf/1/properties/attempt/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/attempt",schemaPath:"#/oneOf/1/properties/attempt/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid15 = _errs109 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data.since !== undefined){
let data54 = data.since;
const _errs111 = errors;
if(errors === _errs111){
if(typeof data54 === "string"){
if(!pattern0.test(data54)){
validate10.errors = [{instancePath:instancePath+"/since",schemaPath:"#/oneOf/1/properties/since/pattern",keyword:"pattern",params:{pattern: "^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"},message:"must match pattern \""+"^\\d{4}-\\d{2}-\\d{2}T[0-9:.]+(Z|[+-]\\d{2}:\\d{2})$"+"\""}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/since",schemaPath:"#/oneOf/1/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid15 = _errs111 === errors;
}
else {
var valid15 = true;
}
if(valid15){
const tag2 = data.uploadState;
if(typeof tag2 == "string"){
if(tag2 === "open"){
const _errs113 = errors;
if(errors === _errs113){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing7;
if(((data.uploadState === undefined) && (missing7 = "uploadState")) || ((data.uploadId === undefined) && (missing7 = "uploadId"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/required",keyword:"required",params:{missingProperty: missing7},message:"must have required property '"+missing7+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
let data55 = data.uploadState;
const _errs115 = errors;
if(!((data55 === "open") || (data55 === "committing"))){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadState/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.uploadState.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid18 = _errs115 === errors;
}
else {
var valid18 = true;
}
if(valid18){
if(data.uploadId !== undefined){
let data56 = data.uploadId;
const _errs116 = errors;
if(errors === _errs116){
if(typeof data56 === "string"){
if(func2(data56) < 1){
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid18 = _errs116 === errors;
}
else {
var valid18 = true;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag2 === "committing"){
const _errs118 = errors;
if(errors === _errs118){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing8;
if(((data.uploadState === undefined) && (missing8 = "uploadState")) || ((data.uploadId === undefined) && (missing8 = "uploadId"))){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/required",keyword:"required",params:{missingProperty: missing8},message:"must have required property '"+missing8+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
let data57 = data.uploadState;
const _errs120 = errors;
if(!((data57 === "open") || (data57 === "committing"))){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadState/enum",keyword:"enum",params:{allowedValues: schema11.oneOf[1].oneOf[0].properties.uploadState.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid20 = _errs120 === errors;
}
else {
var valid20 = true;
}
if(valid20){
if(data.uploadId !== undefined){
let data58 = data.uploadId;
const _errs121 = errors;
if(errors === _errs121){
if(typeof data58 === "string"){
if(func2(data58) < 1){
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/uploadId",schemaPath:"#/oneOf/1/oneOf/0/properties/uploadId/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid20 = _errs121 === errors;
}
else {
var valid20 = true;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag2 === "unrecorded"){
const _errs123 = errors;
if(errors === _errs123){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing9;
if((data.uploadState === undefined) && (missing9 = "uploadState")){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/1/required",keyword:"required",params:{missingProperty: missing9},message:"must have required property '"+missing9+"'"}];
return false;
}
else {
if(data.uploadState !== undefined){
if("unrecorded" !== data.uploadState){
validate10.errors = [{instancePath:instancePath+"/uploadState",schemaPath:"#/oneOf/1/oneOf/1/properties/uploadState/const",keyword:"const",params:{allowedValue: "unrecorded"},message:"must be equal to constant"}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "uploadState", tagValue: tag2},message:"value of tag \"uploadState\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/discriminator",keyword:"discriminator",params:{error: "tag", tag: "uploadState", tagValue: tag2},message:"tag \"uploadState\" must be string"}];
return false;
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else if(tag0 === "check-bucket"){
const _errs126 = errors;
if(errors === _errs126){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing10;
if((data.mode === undefined) && (missing10 = "mode")){
validate10.errors = [{instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing10},message:"must have required property '"+missing10+"'"}];
return false;
}
else {
if(data.mode !== undefined){
if("check-bucket" !== data.mode){
validate10.errors = [{instancePath:instancePath+"/mode",schemaPath:"#/oneOf/2/properties/mode/const",keyword:"const",params:{allowedValue: "check-bucket"},message:"must be equal to constant"}];
return false;
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/oneOf/2/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "mode", tagValue: tag0},message:"value of tag \"mode\" must be in oneOf"}];
return false;
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "mode", tagValue: tag0},message:"tag \"mode\" must be string"}];
return false;
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateOwnZipJob = validate11;
const schema12 = {"$id":"validateOwnZipJob","type":"object","required":["metadata","spec"],"properties":{"metadata":{"type":"object","required":["uid"],"properties":{"uid":{"type":"string"}}},"spec":{"type":"object","properties":{"maxAttempts":{"type":"integer"},"files":{"type":"array","items":{"type":"object","required":["url","filename"],"properties":{"url":{"type":"string"},"filename":{"type":"string"}}}}}},"status":{"type":"object","properties":{"attempts":{"type":"array","items":{"type":"object","required":["podUid"],"properties":{"podUid":{"type":"string"},"class":{"type":"string"}}}}}}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateOwnZipJob" */;
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.metadata === undefined) && (missing0 = "metadata")) || ((data.spec === undefined) && (missing0 = "spec"))){
validate11.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.metadata !== undefined){
let data0 = data.metadata;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.uid === undefined) && (missing1 = "uid")){
validate11.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data0.uid !== undefined){
if(typeof data0.uid !== "string"){
validate11.errors = [{instancePath:instancePath+"/metadata/uid",schemaPath:"#/properties/metadata/properties/uid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.spec !== undefined){
let data2 = data.spec;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.maxAttempts !== undefined){
let data3 = data2.maxAttempts;
const _errs7 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate11.errors = [{instancePath:instancePath+"/spec/maxAttempts",schemaPath:"#/properties/spec/properties/maxAttempts/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.files !== undefined){
let data4 = data2.files;
const _errs9 = errors;
if(errors === _errs9){
if(Array.isArray(data4)){
var valid3 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
const _errs11 = errors;
if(errors === _errs11){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
let missing2;
if(((data5.url === undefined) && (missing2 = "url")) || ((data5.filename === undefined) && (missing2 = "filename"))){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0,schemaPath:"#/properties/spec/properties/files/items/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
if(data5.url !== undefined){
const _errs13 = errors;
if(typeof data5.url !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/url",schemaPath:"#/properties/spec/properties/files/items/properties/url/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs13 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data5.filename !== undefined){
const _errs15 = errors;
if(typeof data5.filename !== "string"){
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0+"/filename",schemaPath:"#/properties/spec/properties/files/items/properties/filename/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid4 = _errs15 === errors;
}
else {
var valid4 = true;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/files/" + i0,schemaPath:"#/properties/spec/properties/files/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid3 = _errs11 === errors;
if(!valid3){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec/files",schemaPath:"#/properties/spec/properties/files/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.status !== undefined){
let data8 = data.status;
const _errs17 = errors;
if(errors === _errs17){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(data8.attempts !== undefined){
let data9 = data8.attempts;
const _errs19 = errors;
if(errors === _errs19){
if(Array.isArray(data9)){
var valid6 = true;
const len1 = data9.length;
for(let i1=0; i1<len1; i1++){
let data10 = data9[i1];
const _errs21 = errors;
if(errors === _errs21){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
let missing3;
if((data10.podUid === undefined) && (missing3 = "podUid")){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1,schemaPath:"#/properties/status/properties/attempts/items/required",keyword:"required",params:{missingProperty: missing3},message:"must have required property '"+missing3+"'"}];
return false;
}
else {
if(data10.podUid !== undefined){
const _errs23 = errors;
if(typeof data10.podUid !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1+"/podUid",schemaPath:"#/properties/status/properties/attempts/items/properties/podUid/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid7 = _errs23 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data10.class !== undefined){
const _errs25 = errors;
if(typeof data10.class !== "string"){
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1+"/class",schemaPath:"#/properties/status/properties/attempts/items/properties/class/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid7 = _errs25 === errors;
}
else {
var valid7 = true;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/attempts/" + i1,schemaPath:"#/properties/status/properties/attempts/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid6 = _errs21 === errors;
if(!valid6){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status/attempts",schemaPath:"#/properties/status/properties/attempts/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}
